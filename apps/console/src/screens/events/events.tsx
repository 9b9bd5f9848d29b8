import type { EventResource } from '@flotilla/contract/events.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call, callPage } from '../../call.ts';
import { BotField } from '../../parts/bot-field.tsx';
import { BotLink } from '../../parts/bot-name.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { SelectField } from '../../parts/field.tsx';
import { given } from '../../parts/filters.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { StateMark } from '../../parts/state-badge.tsx';
import { Moment } from '../../parts/time.tsx';
import { Told } from '../../parts/told.tsx';
import { useOpenedRow } from '../../parts/use-opened-row.ts';
import { usePages } from '../../parts/use-pages.ts';
import { useTitle } from '../../parts/use-title.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { seesWholeFleet, useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { EventDetails } from './event-details.tsx';
import type { EventFilter } from './event-filter.ts';
import { EVENT_KINDS, LOOKS } from './event-looks.ts';
import { type EventsWords, useEventsWords } from './events-words.ts';
import { Sinks } from './sinks.tsx';
import './events.css';

const route = getRouteApi('/events');
const PAGE = 100;

/** The events that somebody should know of, newest first; and the event sinks. */
export function Events(): ReactNode {
  const { nav } = useWords();
  const words = useEventsWords();
  const { account } = useSession();
  useTitle(nav.events);
  return (
    <div className="events">
      <header>
        <h1>{nav.events}</h1>
        <p className="muted">{words.hint}</p>
      </header>
      {seesWholeFleet(account) ? (
        <Sinks>
          <EventList />
        </Sinks>
      ) : (
        <EventList />
      )}
    </div>
  );
}

function EventList(): ReactNode {
  const words = useEventsWords();
  const { nav } = useWords();
  const { open, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const input = given({
    kinds: filter.kind,
    bot_id: filter.bot,
    since: instantOf(filter.from),
    until: instantOf(filter.to),
  });
  const events = usePages<EventResource>(['events', filter], (page, signal) =>
    callPage('listEvents', { ...input, ...page, limit: PAGE }, signal),
  );
  const find = (id: string, signal: AbortSignal) => call('listEvents', { id }, signal);
  const shown = useOpenedRow({ of: 'events', open, rows: events.rows, find });
  useRowKeys('.table-body a.row-link');
  return (
    <section aria-label={nav.events}>
      <Filters filter={filter} />
      {events.isError && <Failure error={events.error} retry={() => void events.refetch()} />}
      {events.data && events.rows.length === 0 && (
        <Empty title={Object.keys(filter).length === 0 ? words.empty : words.noMatch} />
      )}
      {(events.rows.length > 0 || events.isPending) && (
        <VirtualTable
          label={nav.events}
          of={filter}
          columns={columnsOf(words, filter)}
          total={events.isPending ? 12 : events.rows.length}
          rowAt={(index) => events.rows[index]}
          keyOf={({ id }) => id}
          shows={events.shows}
          stale={events.isPending || events.isPlaceholderData}
          wraps
        />
      )}
      {shown && (
        <EventDetails key={shown.id} event={shown} close={() => void navigate({ search: filter, replace: true })} />
      )}
    </section>
  );
}

/** The api takes moments with seconds. */
function instantOf(moment: string | undefined): string | undefined {
  return moment === undefined ? undefined : new Date(moment).toISOString();
}

function Filters({ filter }: { filter: EventFilter }): ReactNode {
  const words = useEventsWords();
  const navigate = route.useNavigate();
  const choose = (change: { [Name in keyof EventFilter]: EventFilter[Name] | undefined }) =>
    void navigate({ search: given({ ...filter, ...change }), replace: true });
  return (
    <section className="filters" aria-label={words.filters}>
      <SelectField
        label={words.kind}
        options={[['', words.anyKind], ...EVENT_KINDS.map((kind) => [kind, words.kinds[kind]] as const)]}
        value={filter.kind ?? ''}
        choose={(kind) => choose({ kind: kind === '' ? undefined : kind })}
      />
      <BotField
        label={words.columns.bot}
        placeholder={words.anyBot}
        botId={filter.bot}
        choose={(bot) => choose({ bot })}
      />
      <PeriodField from={filter.from} to={filter.to} choose={choose} />
      {Object.keys(filter).length > 0 && (
        <Link to="/events" className="button quiet">
          {words.clear}
        </Link>
      )}
    </section>
  );
}

function columnsOf({ columns, kinds }: EventsWords, filter: EventFilter): Column<EventResource>[] {
  return [
    {
      name: 'at-cell',
      title: columns.at,
      width: '8.5rem',
      cell: ({ at }) => (
        <span className="muted">
          <Moment at={at} />
        </span>
      ),
    },
    {
      name: 'kind-cell',
      title: columns.kind,
      width: '12rem',
      cell: ({ id, kind }) => (
        <span className={`state ${LOOKS[kind] ?? 'disabled'}`}>
          <StateMark state={LOOKS[kind] ?? 'disabled'} />
          <Link to="/events" search={{ ...filter, open: String(id) }} replace resetScroll={false} className="row-link">
            {kinds[kind] ?? kind}
          </Link>
        </span>
      ),
    },
    {
      name: 'bot-cell',
      title: columns.bot,
      width: 'minmax(6rem, 1fr)',
      cell: ({ bot_id: bot }) => (bot === undefined ? '' : <BotLink id={bot} />),
    },
    {
      name: 'text-cell',
      title: columns.text,
      width: 'minmax(8rem, 3fr)',
      cell: ({ text }) => <Told text={text} className="muted" />,
    },
  ];
}
