import type { ActiveToken } from '@flotilla/domain/bots/active-program.ts';
import { countCall } from '@flotilla/domain/bots/count-call.ts';
import type { Context } from '../../context.ts';
import { type Refusal, tooManyRequests } from '../answer.ts';

/** Counts a call of a token with a rate; the refusal if there were too many. Rejects while Redis is away. */
export async function refusalByRate(
  context: Pick<Context, 'redis' | 'clock'>,
  token: ActiveToken,
): Promise<Refusal | null> {
  const waitS = await countCall(context, token);
  return waitS === 0 ? null : tooManyRequests(waitS);
}
