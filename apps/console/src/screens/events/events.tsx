import type { EventResource } from '@flotilla/contract/events.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callPage } from '../../call.ts';
import { BotField, useBotName } from '../../parts/bot-field.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { SelectField } from '../../parts/field.tsx';
import { given } from '../../parts/filters.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { StateMark } from '../../parts/state-badge.tsx';
import { Moment } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { useTitle } from '../../parts/use-title.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { seesWholeFleet, useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import type { EventFilter } from './event-filter.ts';
import { EVENT_KINDS, LOOKS } from './event-looks.ts';
import { useEventsWords } from './events-words.ts';
import { Sinks } from './sinks.tsx';
import './events.css';

const route = getRouteApi('/events');
const PAGE = 100;

/** What happened and somebody should know, newest first; and the event sinks. */
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
  const filter = route.useSearch();
  const input = given({
    kinds: filter.kind,
    bot_id: filter.bot,
    since: instantOf(filter.from),
    until: instantOf(filter.to),
  });
  const events = usePages<EventResource>(['events', filter], (page, signal) =>
    callPage('listEvents', { ...input, ...page, limit: PAGE }, signal),
  );
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
          columns={columnsOf(words)}
          total={events.isPending ? 12 : events.rows.length}
          rowAt={(index) => events.rows[index]}
          keyOf={({ id }) => id}
          shows={events.shows}
          stale={events.isPending || events.isPlaceholderData}
          wraps
        />
      )}
    </section>
  );
}

/** As the api takes moments: with seconds. */
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

function columnsOf({ columns, kinds }: ReturnType<typeof useEventsWords>): Column<EventResource>[] {
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
      cell: ({ kind }) => (
        <span className={`state ${LOOKS[kind] ?? 'disabled'}`}>
          <StateMark state={LOOKS[kind] ?? 'disabled'} />
          {kinds[kind] ?? kind}
        </span>
      ),
    },
    {
      name: 'bot-cell',
      title: columns.bot,
      width: 'minmax(6rem, 1fr)',
      cell: ({ bot_id: bot }) => (bot === undefined ? '' : <BotLink id={String(bot)} />),
    },
    {
      name: 'text-cell',
      title: columns.text,
      width: 'minmax(8rem, 3fr)',
      cell: ({ text }) => <bdi className="muted">{text}</bdi>,
    },
  ];
}

function BotLink({ id }: { id: string }): ReactNode {
  return (
    <Link to="/bots/$id" params={{ id }} className="cut">
      <bdi>{useBotName(id)}</bdi>
    </Link>
  );
}
