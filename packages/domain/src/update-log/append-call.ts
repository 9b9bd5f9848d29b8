import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../bots/bot.ts';

export type CapturedCall = {
  /** Lower case. */
  method: string;
  params: Record<string, string>;
  /** Raw JSON of the platform's `result`. */
  result: string;
};

/** Puts a captured call on the bot's history stream. Rejects within about a second when Redis is away. */
export async function appendCall(
  deps: { redis: RedisHandles; turns: { history: TurnQueue }; clock: Clock },
  bot: Bot,
  call: CapturedCall,
): Promise<void> {
  const keys = botKeys(bot.id);
  const wake: unknown = await runScript(
    deps.redis.commands,
    'append-call',
    [keys.state, keys.history, keys.dirty],
    [bot.generation, deps.clock.nowMs(), bot.id, call.method, JSON.stringify(call.params), call.result],
  );
  if (wake === 1) await deps.turns.history.wake(shardOf(bot.id));
}
