import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { activityPrefixes, botKeys, callBatchesKey, shardOf } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot } from '../../../fleet/bots/bot.ts';
import { registrationOf } from '../../../fleet/bots/registration.ts';
import type { MemoryWatch } from '../../../fleet/memory/watch-memory.ts';
import { rememberOwnPosts } from '../own-posts.ts';
import type { CallBatch } from './captured-call.ts';
import { callArguments } from './history-codec.ts';
import { noteSends } from './note-sends.ts';

export type AppendDeps = {
  redis: RedisHandles;
  turns: { history: TurnQueue };
  memory: Pick<MemoryWatch, 'wrote'>;
};

/** Bytes that Redis needs for a call beside its result. */
const REDIS_OVERHEAD_BYTES = 300;

/**
 * Puts a batch of captured calls on the bot's history stream, if the bot keeps a history, and remembers which posts are
 * ours. Rejects within about a second when Redis is away or full, or does not have the bot yet; then the same batch may
 * be tried again.
 */
export async function appendCalls(deps: AppendDeps, bot: Bot, batch: CallBatch): Promise<void> {
  const { calls } = batch;
  if (!bot.manage_enabled) return rememberOwnPosts(deps, calls);
  deps.memory.wrote(calls.reduce((bytes, { result }) => bytes + result.length + REDIS_OVERHEAD_BYTES, 0));
  const keys = botKeys(bot.id);
  const shard = shardOf(bot.id);
  const remembered = rememberOwnPosts(deps, calls);
  const batches = callBatchesKey(shard, batch.process);
  const appended = scripts.appendCalls(
    deps.redis.commands,
    { ...keys, batches },
    {
      ...registrationOf(bot),
      ...activityPrefixes(bot.id),
      batch: batch.number,
      calls: callArguments(calls),
    },
  );
  const [reply] = await Promise.all([appended, remembered]);
  if (reply.outcome === 'GONE') throw new FlotillaError('unavailable', 'The bot is not set up in Redis');
  // A failure is no reason to append the calls again; a call that is not counted is at worst one too many in a second.
  if (reply.outcome === 'OK' && reply.sends) await noteSends(deps, bot.id, calls).catch(() => undefined);
  if (reply.outcome === 'OK' && reply.wakeHistory) await deps.turns.history.wake(shard);
}
