import type { ActiveToken } from '@flotilla/domain/bots/active-program.ts';
import { rateKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { Context } from '../../context.ts';
import { type Refusal, tooManyRequests } from '../answer.ts';

/** Counts a call of a token with a rate; the refusal if there were too many. Rejects while Redis is away. */
export async function refusalByRate(
  { redis, clock }: Pick<Context, 'redis' | 'clock'>,
  { id, perSecond, perMinute }: ActiveToken,
): Promise<Refusal | null> {
  if (perSecond === null && perMinute === null) return null;
  const nowMs = clock.nowMs();
  const reply: unknown = await runScript(redis.commands, 'count-call', rateKeys(id, nowMs), [
    perSecond ?? '',
    perMinute ?? '',
    nowMs,
  ]);
  return Number(reply) === 0 ? null : tooManyRequests(Number(reply));
}
