import { connectRedis } from '@flotilla/redis/connect.ts';
import { activityKeys, botKeys } from '@flotilla/redis/keys.ts';
import { loadScript, resolveFields } from '@flotilla/redis/script-text.ts';
import { runScript, type ScriptName, type ScriptReply } from '@flotilla/redis/scripts.ts';
import { storedCounts } from './activity-counts.ts';
import { startTestRedis } from './redis.ts';

export const BOT = 1;
export const NOW_MS = 1_800_000_000_000;
export const REGISTRATION = 'registration-1';

/** The stored names that a turn of push is opened with. */
export const PUSH_FIELDS =
  "{ fencingToken = '@pushFencingToken', claim = '@pushClaim', suspect = '@pushSuspect', floor = '@pushFloor' }";

type Arguments = (string | number)[];
type AcceptSettings = {
  quickest?: number;
  slowest?: number | '';
  filters?: string;
  marks?: string[];
  atMs?: number;
  /** The bitmap of seen ids. */
  block?: number;
};
export type LuaScene = Awaited<ReturnType<typeof luaScene>>;

function claimName(name: string, sent = 1): string {
  const [, turn = '', number = ''] = /^(\D*)(\d*)$/.exec(name) ?? [];
  return `${turn.padEnd(8, '.').slice(0, 8)}${number.padStart(7, '0')}${String(sent).padStart(2, '0')}`;
}

/** Above whatever revision was applied. */
const ALWAYS_HANDED_OVER = { revision: 1e9, handOver: true };

/** A Redis of the test file's own with one bot, for tests of single Lua scripts and their includes. */
export async function luaScene() {
  const server = await startTestRedis();
  const redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
  const { commands } = redis;
  const keys = botKeys(BOT);
  const activity = activityKeys(BOT, NOW_MS);
  const run = (name: ScriptName, scriptKeys: string[], args: Arguments): Promise<ScriptReply> =>
    runScript(commands, name, scriptKeys, args);
  const timesSent = new Map<string, number>();
  const sentAgain = (name: string): number => {
    const times = (timesSent.get(name) ?? 0) + 1;
    timesSent.set(name, times);
    return times;
  };
  const turnKeys = (reader: 'push' | 'rules'): string[] => {
    const ofReader =
      reader === 'push'
        ? [keys.lanes, keys.inFlight, keys.work, keys.redriven]
        : [keys.rulesLanes, keys.rulesInFlight, keys.rulesWork, keys.rulesRedriven];
    return [keys.state, keys.log, ...ofReader, keys.history, keys.pendingTurns, keys.consumers];
  };
  return {
    commands,
    keys,
    /** The hashes that count what the bot and its shard do at NOW_MS. */
    activity,
    run,
    turnKeys,
    /** Runs this Lua body after the text of an include. */
    evaluate: (include: string, body: string, scriptKeys: string[] = [], args: Arguments = []): Promise<unknown> =>
      commands.eval(
        `${loadScript(`lib/${include}`)}\n${resolveFields(body)}`,
        scriptKeys.length,
        ...scriptKeys,
        ...args,
      ),
    /** Hears what scripts publish on a channel, from now on. */
    subscribe: async (channel: string, message: (payload: string) => void) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const subscription = redis.subscribe(channel, {
        message: (payload) => message(String(payload)),
        listening: resolve,
      });
      await promise;
      return subscription;
    },
    /** Creates or changes the bot; every setting that is not named is off. */
    applyBot: (
      settings: {
        programs?: number[];
        /** Those of them that push: ' 5:1:target'. */
        pushing?: string;
        pull?: boolean;
        push?: boolean;
        rules?: boolean;
        manage?: boolean;
        revision?: number;
        atMs?: number;
        /** A program for which waiting updates are dropped. */
        dropPendingOf?: number;
        /** Waiting updates are dropped. */
        drop?: boolean;
        /** Stored changes of cursors. Without them, pull and push take over each other's cursor. */
        changes?: { revision: number; handOver?: boolean; retryNow?: boolean }[];
        /** Digest of filters; their text is `text of <digest>`. */
        filters?: string;
      } = {},
    ) =>
      run(
        'apply-bot',
        [
          ...[keys.state, keys.log, keys.consumers, keys.deliveredByPush, keys.lanes, keys.inFlight, keys.work],
          ...[keys.redriven, keys.history, keys.pendingTurns],
          ...[keys.rulesLanes, keys.rulesInFlight, keys.rulesWork, keys.rulesRedriven],
        ],
        [
          ...[
            REGISTRATION,
            settings.atMs ?? NOW_MS,
            keys.lane(''),
            settings.pull ? 1 : 0,
            settings.push ? 1 : 0,
            settings.manage ? 1 : 0,
          ],
          ...[
            1,
            '',
            JSON.stringify(settings.changes ?? [ALWAYS_HANDED_OVER]),
            settings.revision ?? 1,
            BOT,
            settings.rules ? 1 : 0,
            keys.rulesLane(''),
            0,
          ],
          `,${(settings.programs ?? []).join(',')},`,
          ...(settings.filters === undefined ? ['', ''] : [`text of ${settings.filters}`, settings.filters]),
          settings.pushing ?? '',
          keys.programs,
          settings.drop ? 1 : 0,
          settings.dropPendingOf ?? '',
        ],
      ),
    /** Accepts updates of one lane, as if the platform had pushed them. */
    accept: (ids: number[], lane = 'c:5', kind = 'message', settings: AcceptSettings = {}) => {
      const { quickest = 100_000, slowest = '', filters = '', marks = [], atMs = NOW_MS, block = 0 } = settings;
      return run(
        'accept-updates',
        [
          keys.state,
          keys.log,
          keys.history,
          keys.pendingTurns,
          keys.consumers,
          ...activity,
          keys.live,
          keys.seen(block),
        ],
        [
          ...[REGISTRATION, atMs, BOT, '', '', quickest, '', slowest, 0, redis.runIds()],
          ...[filters, filters === '' ? '' : JSON.stringify(marks)],
          ...ids.flatMap((id) => {
            const raw = `{"update_id":${id}}`;
            return [id, 9, id, kind, lane, NOW_MS + 86_400_000, 14, raw.length - 1, raw];
          }),
        ],
      );
    },
    /** The name of a claim such as 'a1', the first one of turn 'a', when it is sent for the first time, or again. */
    claimName,
    /** The first arguments of a claim; the six arguments of each of the `settled` units follow them. */
    claimArguments: (
      reader: 'push' | 'rules',
      claim: {
        token?: number;
        name: string;
        sent?: number;
        limit?: number;
        atMs?: number;
        settled?: number;
        end?: string;
      },
    ): Arguments => {
      const { token = '', name, sent = sentAgain(name), limit = 10, atMs = NOW_MS, settled = 0, end = '' } = claim;
      const lanePrefix = reader === 'push' ? keys.lane('') : keys.rulesLane('');
      return [REGISTRATION, token, atMs, BOT, lanePrefix, limit, 1, 3, end, claimName(name, sent), settled];
    },
    /** What was counted for the bot and for its shard in the minute of NOW_MS. */
    counted: () => Promise.all(activity.map((key) => storedCounts(commands, key, NOW_MS))),
    clear: () => {
      timesSent.clear();
      return commands.flushall();
    },
    close: async () => {
      await redis.close();
      await server.stop();
    },
  };
}
