import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';

export type WakeDeps = { redis: RedisHandles; turns: { outbox: TurnQueue } };

/** Lets the outbox of a bot be looked at now, by a turn that runs or by the next one. If that fails, upkeep does so within seconds. */
export async function wakeOutbox({ redis, turns }: WakeDeps, botId: number): Promise<void> {
  // A turn that is about to sleep replaces a wake that came before, so it must have heard the news by then.
  await redis.commands.publish(channels.turnNews, `${botId}:outbox`).catch(() => undefined);
  await turns.outbox.wake(botId).catch(() => undefined);
}
