import { useEffect, useState } from 'react';
import { type Answer, CallError, call } from '../../call.ts';
import { looksLikeToken } from '../../parts/looks-like-token.ts';
import type { ServerChoice } from './server-fields.tsx';

const PAUSE_MS = 400;
/** Tokens of the platform are at least this long: a token that is half typed is sent to nobody. */
const WHOLE = /^\d+:.{30,}$/;

export type TokenCheck =
  | { outcome: 'none' | 'checking' }
  | { outcome: 'known'; bot: Answer<'validateToken'> }
  | { outcome: 'refused'; reason: string };

/** Asks the server whose token it is, once the typing pauses. */
export function useTokenCheck(token: string, { upstream, environment }: ServerChoice): TokenCheck {
  const [checked, setChecked] = useState<{ asked: string; check: TokenCheck }>();
  const asked = `${token} ${upstream} ${environment}`;
  const isWhole = looksLikeToken(token) && WHOLE.test(token);
  useEffect(() => {
    if (!isWhole) return;
    const aborted = new AbortController();
    const timer = setTimeout(() => {
      const input = { token, upstream, environment };
      void check(input, aborted.signal).then((known) => known && setChecked({ asked, check: known }));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      aborted.abort();
    };
  }, [token, upstream, environment, asked, isWhole]);
  if (!isWhole) return { outcome: 'none' };
  return checked?.asked === asked ? checked.check : { outcome: 'checking' };
}

async function check(input: ServerChoice & { token: string }, signal: AbortSignal): Promise<TokenCheck | null> {
  try {
    return { outcome: 'known', bot: await call('validateToken', input, signal) };
  } catch (error) {
    if (signal.aborted) return null;
    // Other errors than a refusal of the token are told when the bot is added.
    const reason = error instanceof CallError && error.faults.has('token') ? error.message : null;
    return reason === null ? { outcome: 'none' } : { outcome: 'refused', reason };
  }
}
