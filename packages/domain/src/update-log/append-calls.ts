import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../bots/bot.ts';
import type { CapturedCall } from './captured-call.ts';
import { rememberOwnPosts } from './own-posts.ts';
import type { MemoryWatch } from './watch-memory.ts';

type AppendDeps = {
  redis: RedisHandles;
  turns: { history: TurnQueue };
  clock: Clock;
  /** Without it there is always room. */
  memory?: Pick<MemoryWatch, 'pressure' | 'wrote'>;
};

/** What a call takes of Redis beside its result. */
const BYTES_AROUND_CALL = 300;

/**
 * Puts captured calls on the bot's history stream, if it keeps one, in order, and remembers which posts are ours.
 * Rejects within about a second when Redis is away.
 */
export async function appendCalls(deps: AppendDeps, bot: Bot, calls: CapturedCall[]): Promise<void> {
  if (!bot.manageEnabled) return rememberOwnPosts(deps, calls);
  deps.memory?.wrote(calls.reduce((bytes, { result }) => bytes + result.length + BYTES_AROUND_CALL, 0));
  const keys = botKeys(bot.id);
  // Both in one tick, so that a later batch of the bot cannot overtake this one.
  const remembered = rememberOwnPosts(deps, calls);
  const appended = runScript(
    deps.redis.commands,
    'append-calls',
    [keys.state, keys.history, keys.dirty],
    [
      bot.generation,
      deps.clock.nowMs(),
      bot.id,
      ...calls.flatMap(({ method, params, result, actor }) => [
        method,
        JSON.stringify(params),
        result,
        actor === undefined ? '' : JSON.stringify(actor),
      ]),
    ],
  );
  const [wake] = await Promise.all([appended as Promise<unknown>, remembered]);
  if (wake === 1) await deps.turns.history.wake(shardOf(bot.id));
}

const GATHER_MS = 3;
const BATCH_AT_MOST = 200;

/**
 * Appends calls one by one as they are seen, in batches as they are written: what a bot's calls have in common is done
 * once for all of a moment. Each promise settles with its batch; per bot the order is kept. While memory is scarce they
 * reject, and only which posts are ours is remembered: what is left is for turns, which drain.
 */
export function gatherCalls(deps: AppendDeps): (bot: Bot, call: CapturedCall) => Promise<void> {
  const gathering = new Map<number, { calls: CapturedCall[]; written: Promise<void> }>();
  return (bot, call) => {
    const open = gathering.get(bot.id);
    if (open && open.calls.length < BATCH_AT_MOST) {
      open.calls.push(call);
      return open.written;
    }
    const calls = [call];
    const written = new Promise<void>((resolve) => setTimeout(resolve, GATHER_MS)).then(() => {
      if (gathering.get(bot.id)?.calls === calls) gathering.delete(bot.id);
      return deps.memory?.pressure() === 'scarce' ? refuseCalls(deps, calls) : appendCalls(deps, bot, calls);
    });
    gathering.set(bot.id, { calls, written });
    return written;
  };
}

async function refuseCalls(deps: AppendDeps, calls: CapturedCall[]): Promise<never> {
  await rememberOwnPosts(deps, calls);
  throw new FlotillaError('unavailable', 'Redis has no room for the history');
}
