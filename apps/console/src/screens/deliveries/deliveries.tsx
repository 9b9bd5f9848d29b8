import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { given } from '../../parts/filters.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { type Act, ActOnLetters, type Chosen } from './act-on-letters.tsx';
import { useDeliveriesWords } from './deliveries-words.ts';
import { DeliveryDetails } from './delivery-details.tsx';
import {
  conditionsOf,
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliveryState,
  type FilterChanges,
  isNarrowed,
  openOf,
} from './delivery-filter.ts';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { DeliveryTools } from './delivery-tools.tsx';
import { FleetAttempts } from './fleet-attempts.tsx';
import { JobProgress } from './job-progress.tsx';
import { changed, idsOf, keyOf, NOTHING, type Selected } from './selected.ts';
import { SkipDeliveries } from './skip-deliveries.tsx';
import { useDeliveries, useDeliveryCount } from './use-deliveries.ts';
import { useKnownDelivery, useOpenedDelivery } from './use-opened-delivery.ts';
import { useTrials } from './use-trials.ts';
import './deliveries.css';

/** The updates of all bots that have not reached their reader. */
export function Deliveries(): ReactNode {
  const words = useDeliveriesWords();
  useTitle(words.title);
  const filter = useDeliveryFilter(undefined);
  return (
    <div className="deliveries">
      <h1>{words.title}</h1>
      <DeliveryTabs />
      {filter.state === 'attempts' ? <FleetAttempts filter={filter} /> : <DeliveryView />}
    </div>
  );
}

/** The kinds of deliveries with their counts, and attempts: all of one bot, of the fleet those that failed. */
export function DeliveryTabs({ botId }: { botId?: string }): ReactNode {
  const words = useDeliveriesWords();
  const number = useNumber();
  const search = useDeliveryFilter(undefined);
  const filter = useDeliveryFilter(botId);
  const counts = { retrying: useDeliveryCount('retrying', filter), dead: useDeliveryCount('dead', filter) };
  useFirstTab(search, counts);
  return (
    <nav className="state-tabs" aria-label={words.tabs.label}>
      {DELIVERY_STATES.map((state) => (
        <Link key={state} to="." search={ofState(search, state)} activeOptions={OF_STATE}>
          {words.tabs[state]} <span className="tab-count">{counts[state] !== undefined && number(counts[state])}</span>
        </Link>
      ))}
      <Link to="." search={{ state: 'attempts' }} activeOptions={OF_STATE}>
        {botId === undefined ? words.attempts.failed : words.tabs.attempts}
      </Link>
    </nav>
  );
}

/** Failed deliveries need hands most, so they are the first tab; without any, what is retried is shown when the screen opens. */
function useFirstTab(search: DeliveryFilter, { retrying, dead }: Record<DeliveryState, number | undefined>): void {
  const navigate = useNavigate();
  const isOpen = useRef(search.state !== undefined || search.open !== undefined);
  useEffect(() => {
    if (isOpen.current || retrying === undefined || dead === undefined) return;
    isOpen.current = true;
    if (dead > 0 || retrying === 0) return;
    void navigate({ to: '.', search: { ...search, state: 'retrying' } as DeliveryFilter, replace: true });
  });
}

/** A filter or what is open beside the list does not make it another kind. */
const OF_STATE = { includeSearch: true, explicitUndefined: true } as const;

/** The same filter for another kind, without what only attempts have. */
function ofState(filter: DeliveryFilter, state: DeliveryState): DeliveryFilter {
  const { state: _, open: _open, attempt: _attempt, ok: _ok, chat: _chat, update: _update, ...others } = filter;
  // Named also where it is none: the other kinds would be thought of as this one.
  return { ...others, state: state === 'dead' ? undefined : state } as DeliveryFilter;
}

export function useDeliveryFilter(botId: string | undefined): DeliveryFilter {
  const search = useSearch({ strict: false }) as DeliveryFilter;
  return botId === undefined ? search : { ...search, bot: botId };
}

/** The filter, the acts on all that it matches, and the list. */
export function DeliveryView({ botId }: { botId?: string }): ReactNode {
  const words = useDeliveriesWords();
  const navigate = useNavigate();
  const search = useDeliveryFilter(undefined);
  const filter = useDeliveryFilter(botId);
  const state: DeliveryState = filter.state === 'retrying' ? 'retrying' : 'dead';
  const deliveries = useDeliveries(state, filter);
  const [selected, setSelected] = useState<Selected>(NOTHING);
  const opened = useOpenedDelivery(filter.open);
  const know = useKnownDelivery();
  const trials = useTrials();
  const [asked, setAsked] = useState<{ name: Act; chosen: Chosen } | null>(null);
  const [begun, setBegun] = useState<string>();
  const [skipped, setSkipped] = useState<readonly DeliveryResource[] | null>(null);
  const setOpened = (delivery: DeliveryResource | null) => {
    if (delivery !== null) know(delivery);
    const { open: _, ...others } = search;
    const next = delivery === null ? others : { ...others, open: openOf(delivery) };
    void navigate({ to: '.', search: next, resetScroll: false });
  };
  const { head, total } = deliveries;
  const conditions = conditionsOf(filter);
  const change = (changes: FilterChanges) => {
    setSelected(NOTHING);
    void navigate({ to: '.', search: given({ ...search, ...changes }) as DeliveryFilter, replace: true });
  };
  const clear = () => {
    setSelected(NOTHING);
    void navigate({ to: '.', search: given({ state: filter.state }) });
  };
  // Rows of another tab are not among those that an act is for.
  const chosen = [...selected.values()].filter((row) => row.state === state);
  const askFor = (name: Act) =>
    setAsked({ name, chosen: chosen.length > 0 ? { ids: idsOf(selected) } : { filter: conditions } });
  const tryNow = (rows: readonly DeliveryResource[]) => {
    setSelected(NOTHING);
    void trials.tryNow(rows);
  };
  const sendAgain = (row: DeliveryResource | undefined) => {
    const rows = opened === null && chosen.length > 0 ? chosen : row === undefined ? [] : [row];
    if (rows.length === 0) return;
    if (state === 'retrying') tryNow(rows);
    else setAsked({ name: 'redrive', chosen: { ids: rows.flatMap(({ id }) => id ?? []) } });
  };
  const isFiltered = isNarrowed(filter) || (botId === undefined && filter.bot !== undefined);
  return (
    <>
      <DeliveryFilters filter={filter} change={change} clear={clear} ofOneBot={botId !== undefined} />
      {filter.job && (
        <JobProgress
          key={filter.job}
          id={filter.job}
          isNew={filter.job === begun}
          hide={() => change({ job: undefined })}
        />
      )}
      {head.isError && <Failure error={head.error} retry={() => void head.refetch()} />}
      {trials.error && <Failure error={trials.error} />}
      {head.data && (total > 0 || isFiltered) && (
        <DeliveryTools
          {...{ state, total, conditions, askFor }}
          selected={chosen.length}
          unselect={() => setSelected(NOTHING)}
          tryNow={() => tryNow(chosen)}
          skip={() => setSkipped(chosen)}
        />
      )}
      {head.data && total === 0 && (
        <Empty
          title={isFiltered ? words.noMatch : words.empty[state]}
          {...(isFiltered ? {} : { hint: words.emptyHint[state] })}
        >
          {isFiltered && <Button onClick={clear}>{words.filters.clear}</Button>}
        </Empty>
      )}
      {(total > 0 || head.isPending) && (
        <DeliveryList
          {...{ state, deliveries, selected, opened, sendAgain }}
          of={filter}
          trials={trials.trials}
          select={(row, on) => setSelected((known) => changed(known, row, on))}
          open={setOpened}
          ofOneBot={botId !== undefined}
        />
      )}
      {opened && (
        <DeliveryDetails
          key={`${opened.state} ${opened.bot_id} ${opened.update_id}`}
          delivery={opened}
          trial={trials.trials.get(keyOf(opened))}
          tryNow={() => tryNow([opened])}
          skip={() => setSkipped([opened])}
          close={() => setOpened(null)}
          act={(name, id) => setAsked({ name, chosen: { ids: [id] } })}
        />
      )}
      {skipped && (
        <SkipDeliveries
          rows={skipped}
          close={() => setSkipped(null)}
          done={() => {
            setSkipped(null);
            change({ open: undefined });
          }}
        />
      )}
      {asked && (
        <ActOnLetters
          {...asked}
          close={() => setAsked(null)}
          begun={({ job_id: job }) => {
            setAsked(null);
            setBegun(job === undefined ? undefined : String(job));
            change({ open: undefined, ...(job === undefined ? {} : { job: String(job) }) });
          }}
        />
      )}
    </>
  );
}
