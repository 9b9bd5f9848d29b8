import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Bot } from '../bots/bot.ts';
import type { Waiting } from '../memory/memory-pressure.ts';

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
  const keys = botKeys(bot.id);
  const [status, fencingToken, pollOffset, polledAtMs, quickest, slowest, refusedAtMs] = await runScript(
    deps.redis.commands,
    'begin-polling',
    [keys.state, keys.log, keys.consumers],
    [bot.registrationId, deps.clock.nowMs()],
  );
  if (status !== 'OK') return { outcome: 'nothing-to-do' };
  return {
    outcome: 'owner',
    fencingToken: fencingToken as number,
    pollOffset: pollOffset as number,
    polledAtMs: polledAtMs as number,
    waiting: { quickest: quickest as number, slowest: slowest as number },
    refusedAtMs: refusedAtMs as number,
  };
}
