import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
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
import { ExportLetters } from './export-letters.tsx';
import { JobProgress } from './job-progress.tsx';
import { useDeliveries, useDeliveryCount } from './use-deliveries.ts';
import { useKnownDelivery, useOpenedDelivery } from './use-opened-delivery.ts';
import './deliveries.css';

/** What has not reached its reader, of all bots. */
export function Deliveries(): ReactNode {
  const words = useDeliveriesWords();
  useTitle(words.title);
  return (
    <div className="deliveries">
      <h1>{words.title}</h1>
      <DeliveryTabs />
      <DeliveryView />
    </div>
  );
}

/** The kinds of deliveries with their counts; those of one bot have their attempts beside them. */
export function DeliveryTabs({ botId }: { botId?: string }): ReactNode {
  const words = useDeliveriesWords();
  const number = useNumber();
  const search = useDeliveryFilter(undefined);
  const filter = useDeliveryFilter(botId);
  const counts = { retrying: useDeliveryCount('retrying', filter), dead: useDeliveryCount('dead', filter) };
  return (
    <nav className="state-tabs" aria-label={words.tabs.label}>
      {DELIVERY_STATES.map((state) => (
        <Link key={state} to="." search={ofState(search, state)} activeOptions={OF_STATE}>
          {words.tabs[state]}{' '}
          {counts[state] !== undefined && <span className="tab-count">{number(counts[state])}</span>}
        </Link>
      ))}
      {botId !== undefined && (
        <Link to="." search={{ state: 'attempts' }} activeOptions={OF_STATE}>
          {words.tabs.attempts}
        </Link>
      )}
    </nav>
  );
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
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const opened = useOpenedDelivery(filter.open);
  const know = useKnownDelivery();
  const [asked, setAsked] = useState<{ name: Act; chosen: Chosen } | null>(null);
  const setOpened = (delivery: DeliveryResource | null) => {
    if (delivery !== null) know(delivery);
    const { open: _, ...others } = search;
    const next = delivery === null ? others : { ...others, open: openOf(delivery) };
    void navigate({ to: '.', search: next, resetScroll: false });
  };
  const { head, total } = deliveries;
  const conditions = conditionsOf(filter);
  const change = (changes: FilterChanges) => {
    setSelected(new Set());
    void navigate({ to: '.', search: given({ ...search, ...changes }) as DeliveryFilter, replace: true });
  };
  const clear = () => {
    setSelected(new Set());
    void navigate({ to: '.', search: given({ state: filter.state }) });
  };
  const askFor = (name: Act) =>
    setAsked({ name, chosen: selected.size > 0 ? { ids: [...selected] } : { filter: conditions } });
  const isFiltered = isNarrowed(filter) || (botId === undefined && filter.bot !== undefined);
  return (
    <>
      <DeliveryFilters filter={filter} change={change} clear={clear} ofOneBot={botId !== undefined} />
      {filter.job && <JobProgress id={filter.job} hide={() => change({ job: undefined })} />}
      {head.isError && <Failure error={head.error} retry={() => void head.refetch()} />}
      {head.data && (total > 0 || isFiltered) && (
        <div className="delivery-tools">
          <p role="status" className="muted">
            {selected.size > 0 ? words.selected(selected.size) : words.found(total)}
          </p>
          {selected.size > 0 && (
            <Button kind="quiet" onClick={() => setSelected(new Set())}>
              {words.unselect}
            </Button>
          )}
          <span className="gap" />
          {state === 'dead' && total > 0 && (
            <>
              <Button kind="primary" onClick={() => askFor('redrive')}>
                {selected.size > 0 ? words.sendSelected(selected.size) : words.sendAll(total)}
              </Button>
              <Button onClick={() => askFor('discard')}>{words.discard}</Button>
            </>
          )}
          {total > 0 && <ExportLetters state={state} conditions={conditions} total={total} />}
        </div>
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
          {...{ state, deliveries, selected, opened }}
          of={filter}
          select={(id, on) => setSelected((known) => changed(known, id, on))}
          redrive={(id) => {
            if (opened === null && selected.size > 0) askFor('redrive');
            else if (id !== undefined) setAsked({ name: 'redrive', chosen: { ids: [id] } });
          }}
          open={setOpened}
          ofOneBot={botId !== undefined}
        />
      )}
      {opened && (
        <DeliveryDetails
          key={`${opened.state} ${opened.bot_id} ${opened.update_id}`}
          delivery={opened}
          close={() => setOpened(null)}
          act={(name, id) => setAsked({ name, chosen: { ids: [id] } })}
        />
      )}
      {asked && (
        <ActOnLetters
          {...asked}
          close={() => setAsked(null)}
          begun={({ job_id: job }) => {
            setAsked(null);
            change({ open: undefined, ...(job === undefined ? {} : { job: String(job) }) });
          }}
        />
      )}
    </>
  );
}

/** A job takes at most 1,000 ids. */
const SELECTED_AT_MOST = 1_000;

function changed(known: ReadonlySet<number>, id: number, on: boolean): ReadonlySet<number> {
  const next = new Set(known);
  if (!on) next.delete(id);
  else if (next.size < SELECTED_AT_MOST) next.add(id);
  return next;
}
