import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { Bot } from '../bots/bot.ts';
import type { Waiting } from './memory-pressure.ts';

/** A turn's ownership: commits of an older epoch are refused from now on. */
export type Ownership =
  | {
      outcome: 'owner';
      epoch: number;
      pollOffset: number;
      polledAtMs: number;
      /** Told to polling only. */
      waiting: Waiting;
    }
  | { outcome: 'nothing-to-do' };

/** Makes the caller the owner of the bot's turns of this kind; what a dead owner had in flight is due again. */
export async function ownTurn(
  deps: { redis: RedisHandles },
  bot: Bot,
  kind: 'polling' | 'push' | 'rules',
): Promise<Ownership> {
  const keys = botKeys(bot.id);
  const [lanes, flight] = kind === 'rules' ? [keys.rulesLanes, keys.rulesFlight] : [keys.lanes, keys.flight];
  const [status, epoch, pollOffset, polledAtMs, quickest, slowest] = await runScript(
    deps.redis.commands,
    'begin-turn',
    [keys.state, lanes, flight],
    [bot.generation, kind],
  );
  if (status !== 'OK') return { outcome: 'nothing-to-do' };
  return {
    outcome: 'owner',
    epoch: epoch as number,
    pollOffset: pollOffset as number,
    polledAtMs: polledAtMs as number,
    waiting: { quickest: quickest as number, slowest: slowest as number },
  };
}
