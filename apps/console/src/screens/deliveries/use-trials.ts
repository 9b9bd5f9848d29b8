import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CallError, call, type Input } from '../../call.ts';
import { useToast } from '../../parts/undo-toast.tsx';
import { type Attempt, attemptAfter, newestAttempt } from '../bot/see-attempt.ts';
import { useDeliveriesWords } from './deliveries-words.ts';
import { callsFor, keyOf } from './selected.ts';

/** The attempts that somebody has asked for on this page, by `keyOf`; null: none came. */
export type Trials = ReadonlyMap<string, Attempt | 'pending' | null>;

/** More at once would keep the connection busy that the page needs. */
const SEEN_AT_ONCE = 20;
/** After that the row says again when it is tried next. */
const OUTCOME_SHOWN_MS = 10_000;

/** Has deliveries tried now, and sees what comes of each. */
export function useTrials() {
  const queries = useQueryClient();
  const words = useDeliveriesWords();
  const toast = useToast();
  const [trials, setTrials] = useState<Trials>(new Map());
  const [error, setError] = useState<Error | null>(null);
  const set = (row: DeliveryResource, trial: Attempt | 'pending' | null) =>
    setTrials((known) => new Map(known).set(keyOf(row), trial));
  const forget = (rows: readonly DeliveryResource[]) => {
    const keys = new Set(rows.map(keyOf));
    setTrials((known) => new Map([...known].filter(([key]) => !keys.has(key))));
  };
  const tryNow = async (rows: readonly DeliveryResource[]) => {
    setError(null);
    for (const row of rows) set(row, 'pending');
    const seen = rows.slice(0, SEEN_AT_ONCE);
    try {
      const before = await Promise.all(seen.map((row) => newestAttempt(attemptsOf(row))));
      // A reader takes one call a second, so all of its rows go in one.
      await Promise.all(callsFor(rows).map(tryInTime));
      const each = seen.map(async (row, at) => {
        const attempt = await attemptAfter(attemptsOf(row), before[at]);
        set(row, attempt);
        return attempt;
      });
      const attempts = await Promise.all(each);
      const delivered = attempts.filter((attempt) => attempt?.ok).length;
      // The row of what was delivered is gone by now.
      toast({ text: words.tried(delivered, attempts.length - delivered) });
      setTimeout(() => forget(seen), OUTCOME_SHOWN_MS);
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setTrials((known) => new Map([...known].filter(([, trial]) => trial !== 'pending')));
      void queries.invalidateQueries({ queryKey: ['deliveries'] });
    }
  };
  return { trials, tryNow, error };
}

/** A reader takes one try a second: what comes sooner waits for it here. */
async function tryInTime(some: Input<'tryDeliveriesNow'>): Promise<unknown> {
  try {
    return await call('tryDeliveriesNow', some);
  } catch (error) {
    if (!(error instanceof CallError) || error.status !== 429) throw error;
    await new Promise((resolve) => setTimeout(resolve, (error.retryAfterS ?? 1) * 1000));
    return call('tryDeliveriesNow', some);
  }
}

function attemptsOf({ bot_id, update_id, program_id, reader }: DeliveryResource) {
  const of = { bot_id, update_id };
  return program_id === undefined
    ? { ...of, reader: reader === 'rules' ? reader : ('push' as const) }
    : { ...of, program_id };
}
