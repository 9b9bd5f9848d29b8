import { connectRedis } from '@flotilla/redis/connect.ts';
import { activityPrefixes, botKeys, readerMinutesPrefix } from '@flotilla/redis/keys.ts';
import { type OutcomesArgs, type SettleArgs, scripts, type TurnKeys } from '@flotilla/redis/script-calls.ts';
import type { Header } from '@flotilla/redis/script-header.ts';
import { countsOf } from './activity-counts.ts';
import { scriptWith } from './lua-script.ts';
import { passTime } from './pass-time.ts';
import { startTestRedis } from './redis.ts';

export const BOT = 1;
/** When the test file began. The scripts go by the clock of Redis, so what they store is a little later. */
export const NOW_MS = Date.now();
export const DAY_MS = 86_400_000;

/** Equals a time (a number or a text) that a script has written since the test file began, and so much later. */
export function writtenNow(laterMs = 0): { asymmetricMatch(time: unknown): boolean } {
  return {
    asymmetricMatch: (time) => Number(time) >= NOW_MS + laterMs && Number(time) <= Date.now() + laterMs,
  };
}

/** Equals what is stored of a consumer with this cursor, whenever it was polled. */
export function storedAt(cursor: number): { asymmetricMatch(stored: unknown): boolean } {
  return { asymmetricMatch: (stored) => new RegExp(`^${cursor} \\d{13}$`).test(String(stored)) };
}
export const REGISTRATION = 'registration-1';

/** The stored names that a turn of push is opened with. */
export const PUSH_FIELDS =
  "{ fencingToken = '@pushFencingToken', claim = '@pushClaim', suspect = '@pushSuspect', floor = '@pushFloor' }";

type Value = string | number | boolean | null;
type ArgsByName = Record<string, Value | readonly (Value | Record<string, Value>)[]>;
type AcceptSettings = {
  quickest?: number;
  slowest?: number;
  filters?: string;
  marks?: string[];
  /** The bitmap of seen ids. */
  block?: number;
};
/** A unit that is settled: one update without anything to say, unless it is given. */
export type Settled = Partial<SettleArgs['settled'][number]> &
  Pick<SettleArgs['settled'][number], 'lane' | 'id' | 'outcome'>;
export type LuaScene = Awaited<ReturnType<typeof luaScene>>;

function claimName(name: string, sent = 1): string {
  const [, turn = '', number = ''] = /^(\D*)(\d*)$/.exec(name) ?? [];
  return `${turn.padEnd(8, '.').slice(0, 8)}${number.padStart(7, '0')}${String(sent).padStart(2, '0')}`;
}

function headerFor(keys: object, args: object): string {
  const typed = Object.entries(args).map(
    ([name, value]) => `${name}: ${typeof value === 'number' ? 'number' : 'text'}`,
  );
  const lines = { keys: Object.keys(keys).join(', '), args: typed.join(', ') };
  return Object.entries(lines)
    .map(([block, names]) => (names === '' ? '' : `-- @${block} ${names}\n`))
    .join('');
}

/** The arguments in the order of the header. */
function sentArguments(header: Header, args: ArgsByName): (string | number)[] {
  const sent = (value: unknown) => (typeof value === 'boolean' ? Number(value) : ((value ?? '') as string | number));
  const counts = header.lists.slice(0, -1).map(({ name }) => (args[name] as unknown[]).length);
  const entries = header.lists.flatMap(({ name, fields }) =>
    (args[name] as Record<string, Value>[]).flatMap((one) =>
      fields.length === 0 ? [sent(one)] : fields.map((field) => sent(one[field.name])),
    ),
  );
  return [...header.args.map(({ name }) => sent(args[name])), ...counts, ...entries];
}

/** Above whatever revision was applied. */
const ALWAYS_HANDED_OVER = { revision: 1e9, handOver: true };

/** The reply of a script that has done what it is for. */
export function okOf<Reply extends { outcome: string }>(reply: Reply): Extract<Reply, { outcome: 'OK' }> {
  if (reply.outcome !== 'OK') throw new Error(`the script answered ${reply.outcome}`);
  return reply as Extract<Reply, { outcome: 'OK' }>;
}

/** A Redis of the test file's own with one bot, for tests of single Lua scripts and their includes. */
export async function luaScene() {
  const server = await startTestRedis();
  const redis = await connectRedis({ url: server.url, log: { warn: () => {} } });
  const { commands } = redis;
  const keys = botKeys(BOT);
  const activity = activityPrefixes(BOT);
  const timesSent = new Map<string, number>();
  const sentAgain = (name: string): number => {
    const times = (timesSent.get(name) ?? 0) + 1;
    timesSent.set(name, times);
    return times;
  };
  const turnKeys = (reader: 'push' | 'rules'): TurnKeys => {
    const { state, log, history, pendingTurns, consumers, live, failing, lanes, inFlight, work, redriven, attempts } =
      keys;
    const shared = { state, log, history, pendingTurns, consumers, live, failing };
    if (reader === 'push') return { ...shared, lanes, inFlight, work, redriven, attempts };
    const { rulesLanes, rulesInFlight, rulesWork, rulesRedriven, rulesAttempts } = keys;
    const own = { lanes: rulesLanes, inFlight: rulesInFlight, work: rulesWork, redriven: rulesRedriven };
    return { ...shared, ...own, attempts: rulesAttempts };
  };
  return {
    commands,
    keys,
    /** The beginning of the keys that count for the bot and its shard. */
    activity,
    turnKeys,
    /** Runs this Lua after the text of a file of lib/. Without a header of its own, it uses all names of the keys and arguments. */
    evaluate: (lib: string, body: string, bodyKeys: object = {}, args: object = {}): Promise<unknown> => {
      const { text, header } = scriptWith(
        lib,
        /^-- @(keys|args)/.test(body) ? body : `${headerFor(bodyKeys, args)}${body}`,
      );
      const sentKeys = header.keys.map(({ name }) => (bodyKeys as Record<string, string>)[name]!);
      return commands.eval(text, sentKeys.length, ...sentKeys, ...sentArguments(header, args as ArgsByName));
    },
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
        /** [true] */
        on?: boolean;
        revision?: number;
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
      scripts.applyBot(commands, keys, {
        registrationId: REGISTRATION,
        botId: BOT,
        revision: settings.revision ?? 1,
        on: settings.on ?? true,
        pull: settings.pull ?? false,
        push: settings.push ?? false,
        rules: settings.rules ?? false,
        manage: settings.manage ?? false,
        allowed: '',
        seesHeld: ',',
        programs: `,${(settings.programs ?? []).join(',')},`,
        pushing: settings.pushing ?? '',
        filters: settings.filters === undefined ? '' : `text of ${settings.filters}`,
        filtersDigest: settings.filters ?? '',
        moves: 0,
        reservedId: 0,
        changesJson: JSON.stringify(settings.changes ?? [ALWAYS_HANDED_OVER]),
        drops: settings.drop ?? false,
        dropsOf: settings.dropPendingOf ?? null,
        lanePrefix: keys.lane(''),
        rulesLanePrefix: keys.rulesLane(''),
        programPrefix: keys.programPrefix,
      }),
    /** Accepts updates of one lane, as if the platform had pushed them. */
    accept: (ids: number[], lane = 'c:5', kind = 'message', settings: AcceptSettings = {}) => {
      const { quickest = 100_000, slowest = null, filters = '', marks = [], block = 0 } = settings;
      const updates = ids.map((id) => {
        const raw = `{"update_id":${id}}`;
        const inRaw = { idStart: 14, idEnd: raw.length - 1, raw };
        return {
          platformId: id,
          bitmap: 1,
          bit: id,
          kind,
          lane,
          keepMs: DAY_MS,
          expiresAtMs: null,
          passesHold: false,
          ...inRaw,
        };
      });
      return scripts.acceptUpdates(
        commands,
        { ...keys, seen: [keys.seen(block)] },
        {
          registrationId: REGISTRATION,
          ...activity,
          botId: BOT,
          moves: 0,
          fencingToken: null,
          pollOffset: null,
          quickestLimit: quickest,
          slowestLimit: slowest,
          traceparent: '',
          reservedId: 0,
          runIds: redis.runIds(),
          filtersDigest: filters,
          marksJson: filters === '' ? '' : JSON.stringify(marks),
          updates,
        },
      );
    },
    /** The name of a claim such as 'a1', the first one of turn 'a', when it is sent for the first time, or again. */
    claimName,
    /** The arguments of every reader's claim. */
    claimArguments: (
      reader: 'push' | 'rules',
      claim: {
        token?: number;
        name: string;
        sent?: number;
        limit?: number;
        settled?: readonly Settled[];
        end?: SettleArgs['ending'];
      },
    ): OutcomesArgs => {
      const { token = null, name, sent = sentAgain(name), limit = 10, settled = [], end = null } = claim;
      return {
        registrationId: REGISTRATION,
        fencingToken: token,
        botId: BOT,
        lanePrefix: reader === 'push' ? keys.lane('') : keys.rulesLane(''),
        limit,
        trims: true,
        begunAtMost: 3,
        ending: end,
        claim: claimName(name, sent),
        ...{ tried: '', measured: '', hits: '', ...activity, readerMinutesPrefix: readerMinutesPrefix(BOT, reader) },
        settled: settled.map((one) => ({ members: 1, dueInMs: null, json: '', ...one })),
      };
    },
    /** The counts of the bot and of its shard. */
    counted: () => Promise.all(Object.values(activity).map((prefix) => countsOf(commands, prefix))),
    /** How many dead letters are in the history stream. */
    deadLetters: async () => {
      const records = await commands.xrange(keys.history, '-', '+');
      return records.filter(([, [, type]]) => type === 'dead').length;
    },
    /** Makes it look as if so much time had gone by. */
    passMs: (ms: number) => passTime(commands, keys, ms),
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
