import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { Waiting } from '../../fleet/memory/memory-pressure.ts';

/** The result of taking over a bot's polling. From then on Redis refuses commits with older fencing tokens. */
export type PollingBegun =
  | {
      outcome: 'owner';
      fencingToken: number;
      pollOffset: number;
      polledAtMs: number;
      waiting: Waiting;
      /** Since when (ms) the platform has refused the bot; 0 when it does not. */
      refusedAtMs: number;
    }
  | { outcome: 'nothing-to-do' };

/** Makes the caller the owner of the bot's polling. */
export async function beginPolling(deps: { redis: RedisHandles; clock: Clock }, bot: Bot): Promise<PollingBegun> {
  const begun = await scripts.beginPolling(deps.redis.commands, botKeys(bot.id), {
    registrationId: bot.registrationId,
    nowMs: deps.clock.nowMs(),
  });
  if (begun.outcome !== 'OK') return { outcome: 'nothing-to-do' };
  const { fencingToken, pollOffset, polledAtMs, quickest, slowest, refusedAtMs } = begun;
  const waiting = { quickest, slowest };
  return { outcome: 'owner', fencingToken, pollOffset, polledAtMs, waiting, refusedAtMs };
}
