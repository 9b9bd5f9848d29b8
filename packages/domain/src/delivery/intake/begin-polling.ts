import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import type { Waiting } from '../../fleet/memory/memory-pressure.ts';

/** The result of taking over a bot's polling. From then on Redis refuses commits with older fencing tokens. */
export type PollingBegun =
  | {
      outcome: 'owner';
      fencingToken: number;
      pollOffset: number;
      /** How long ago the last success was; null before the first one. */
      polledAgoMs: number | null;
      waiting: Waiting;
      /** For how long the platform has refused the bot; null when it does not. */
      refusedForMs: number | null;
    }
  /** The state is of another registration, or not made yet (`gone`), or the bot is disabled. */
  | { outcome: 'gone' }
  | { outcome: 'disabled' };

/** Makes the caller the owner of the bot's polling. */
export async function beginPolling(deps: { redis: RedisHandles }, bot: Bot): Promise<PollingBegun> {
  const begun = await scripts.beginPolling(deps.redis.commands, botKeys(bot.id), {
    ...registrationOf(bot),
  });
  if (begun.outcome !== 'OK') return { outcome: begun.outcome === 'GONE' ? 'gone' : 'disabled' };
  const { fencingToken, pollOffset, polledAgoMs, quickest, slowest, refusedForMs } = begun;
  const waiting = { quickest, slowest };
  return { outcome: 'owner', fencingToken, pollOffset, polledAgoMs, waiting, refusedForMs };
}
