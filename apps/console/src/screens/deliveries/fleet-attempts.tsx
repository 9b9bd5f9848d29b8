import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { given } from '../../parts/filters.tsx';
import { AttemptFilters } from '../bot/attempt-filters.tsx';
import { Attempts } from '../bot/attempts.tsx';
import { attemptConditions, type DeliveryFilter, type FilterChanges } from './delivery-filter.ts';

/** The attempts of all bots that failed: during an incident, those of several backends beside each other. */
export function FleetAttempts({ filter }: { filter: DeliveryFilter }): ReactNode {
  const navigate = useNavigate();
  const show = (search: FilterChanges) =>
    void navigate({ to: '.', search: given(search) as DeliveryFilter, replace: true, resetScroll: false });
  const { reader, status, since, until } = filter;
  const conditions = attemptConditions(given({ reader, status, since, until }) as DeliveryFilter);
  return (
    <>
      <AttemptFilters
        filter={filter}
        change={(changes) => show({ ...filter, ...changes })}
        clear={() => show({ state: 'attempts' })}
      />
      <Attempts conditions={conditions} />
    </>
  );
}
