import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../call.ts';
import { type Attempt, seeAttempt } from '../bot/see-attempt.ts';
import { callsFor, keyOf } from './selected.ts';

/** The attempts that somebody has asked for on this page, by `keyOf`; null: none came. */
export type Trials = ReadonlyMap<string, Attempt | 'pending' | null>;

/** More at once would keep the connection busy that the page needs. */
const SEEN_AT_ONCE = 20;

/** Has deliveries tried now, and sees what comes of each. */
export function useTrials() {
  const queries = useQueryClient();
  const [trials, setTrials] = useState<Trials>(new Map());
  const [error, setError] = useState<Error | null>(null);
  const set = (row: DeliveryResource, trial: Attempt | 'pending' | null) =>
    setTrials((known) => new Map(known).set(keyOf(row), trial));
  const tryNow = async (rows: readonly DeliveryResource[]) => {
    setError(null);
    for (const row of rows) set(row, 'pending');
    const [seen, others] = [rows.slice(0, SEEN_AT_ONCE), rows.slice(SEEN_AT_ONCE)];
    const many = Promise.all(callsFor(others).map((some) => call('tryDeliveriesNow', some)));
    const each = seen.map(async (row) => {
      set(row, await seeAttempt(attemptsOf(row), () => call('tryDeliveriesNow', callsFor([row])[0]!)));
    });
    try {
      await Promise.all([many, ...each]);
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setTrials((known) => new Map([...known].filter(([, trial]) => trial !== 'pending')));
      void queries.invalidateQueries({ queryKey: ['deliveries'] });
    }
  };
  return { trials, tryNow, error };
}

function attemptsOf({ bot_id, update_id, program_id, reader }: DeliveryResource) {
  const of = { bot_id, update_id };
  return program_id === undefined
    ? { ...of, reader: reader === 'rules' ? reader : ('push' as const) }
    : { ...of, program_id };
}
