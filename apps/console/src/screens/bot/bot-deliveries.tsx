import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { given } from '../../parts/filters.tsx';
import { DeliveryTabs, DeliveryView, useDeliveryFilter } from '../deliveries/deliveries.tsx';
import { attemptConditions, type DeliveryFilter, type FilterChanges } from '../deliveries/delivery-filter.ts';
import { AttemptFilters } from './attempt-filters.tsx';
import { Attempts } from './attempts.tsx';
import { useBot } from './use-bot.ts';

/** The updates that have not reached the readers of this bot, and its last attempts. */
export function BotDeliveries(): ReactNode {
  const { data: bot } = useBot();
  const filter = useDeliveryFilter(undefined);
  const { state } = filter;
  if (bot === undefined) return null;
  const botId = String(bot.id);
  return (
    <div className="deliveries">
      <DeliveryTabs botId={botId} />
      {state === 'attempts' ? <FilteredAttempts botId={bot.id} filter={filter} /> : <DeliveryView botId={botId} />}
    </div>
  );
}

/** The attempts that the address filters by; what is open beside them stays. */
function FilteredAttempts({ botId, filter }: { botId: number; filter: DeliveryFilter }): ReactNode {
  const navigate = useNavigate();
  const show = (search: FilterChanges) =>
    void navigate({ to: '.', search: given(search) as DeliveryFilter, replace: true, resetScroll: false });
  return (
    <>
      <AttemptFilters
        botId={botId}
        filter={filter}
        change={(changes) => show({ ...filter, ...changes })}
        clear={() => show({ state: 'attempts' })}
      />
      <Attempts botId={botId} conditions={attemptConditions(filter)} />
    </>
  );
}
