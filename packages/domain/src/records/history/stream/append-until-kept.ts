import { setTimeout as delay } from 'node:timers/promises';
import { isRedisUnavailable } from '@flotilla/redis/is-redis-unavailable.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import type { Bot } from '../../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../../fleet/bots/bot-directory.ts';
import type { MemoryWatch } from '../../../fleet/memory/watch-memory.ts';
import { rememberOwnPosts } from '../own-posts.ts';
import { type AppendDeps, appendCalls } from './append-calls.ts';
import type { CallBatch } from './captured-call.ts';

export type AppendUntilKeptDeps = AppendDeps & {
  memory: Pick<MemoryWatch, 'pressure'>;
  directory: BotDirectory;
  log: Logger;
};
type Limits = {
  /** How often a batch is tried while Redis answers others. */
  tries: number;
  /** True once nothing shall be tried again. */
  isClosed(): boolean;
  /** How many calls wait, for the log. */
  waiting(): number;
};

/**
 * Resolves with true when the calls are kept, false when the bot is gone or all is closed. Rejects when they cannot be
 * kept: Redis refuses them, or was away for too long.
 */
export type AppendUntilKept = (bot: Bot, batch: CallBatch) => Promise<boolean>;

const ASK_AGAIN_MS = 250;

/** Appends batches of captured calls. A batch without an answer is tried again unchanged when Redis answers. */
export function appendUntilKept(deps: AppendUntilKeptDeps, { tries, isClosed, waiting }: Limits): AppendUntilKept {
  const probes = new Map<number, Promise<void>>();
  const warnOfWaiting = throttledLog((reason: string) =>
    deps.log.warn({ reason, calls: waiting() }, 'calls for the history wait for Redis'),
  );
  /** One probe at a time tells whether a shard's Redis answers again, however many bots wait for it. */
  const untilAnswering = (shard: number, key: string): Promise<void> => {
    const probing =
      probes.get(shard) ??
      (async () => {
        do await delay(ASK_AGAIN_MS);
        while (!isClosed() && (await deps.redis.commands.exists(key).catch(() => null)) === null);
        probes.delete(shard);
      })();
    probes.set(shard, probing);
    return probing;
  };
  const isGone = (bot: Bot): boolean =>
    deps.directory.ready() && deps.directory.byId(bot.id)?.registration_id !== bot.registration_id;

  return async (bot, batch) => {
    let remembered = false;
    for (let tried = 1; ; tried += 1) {
      try {
        if (deps.memory.pressure() !== 'scarce') {
          await appendCalls(deps, bot, batch);
          return true;
        }
        // The rest of the memory is for turns, which free some. Own posts are remembered all the same, or rules could
        // echo them.
        if (!remembered) await rememberOwnPosts(deps, batch.calls);
        remembered = true;
        throw new FlotillaError('unavailable', 'Redis has no room for the history');
      } catch (error) {
        if (!isRedisUnavailable(error) || tried >= tries) throw error;
        if (isGone(bot)) return false;
        warnOfWaiting(String(error));
      }
      await untilAnswering(shardOf(bot.id), botKeys(bot.id).state);
      if (isClosed()) return false;
    }
  };
}
