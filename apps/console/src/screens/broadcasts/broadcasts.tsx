import type { BroadcastResource as Broadcast } from '@flotilla/contract/broadcasts.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callPage } from '../../call.ts';
import { BotField } from '../../parts/bot-field.tsx';
import { BotName } from '../../parts/bot-name.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { SelectField } from '../../parts/field.tsx';
import { given } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { Moment, useNumber } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { useTitle } from '../../parts/use-title.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { mayBroadcast, useSession } from '../../session.tsx';
import { type BroadcastFilter, STATES } from './broadcast-filter.ts';
import { BroadcastBadge, BroadcastProgress, notReceived } from './broadcast-progress.tsx';
import { type BroadcastsWords, useBroadcastsWords } from './broadcasts-words.ts';
import { BROADCASTS, useBroadcastsLive } from './use-broadcasts.ts';
import './broadcasts.css';

const route = getRouteApi('/broadcasts/');
const PAGE = 50;

/** The broadcasts of all bots, the newest first. */
export function Broadcasts(): ReactNode {
  const words = useBroadcastsWords();
  const number = useNumber();
  const { account } = useSession();
  const filter = route.useSearch();
  useTitle(words.title);
  useRowKeys('.broadcasts .table-body .row-link');
  const input = given({ bot_id: filter.bot, state: filter.state });
  const found = usePages<Broadcast>([BROADCASTS, 'list', input], (page, signal) =>
    callPage('listBroadcasts', { ...input, ...page, limit: PAGE }, signal),
  );
  useBroadcastsLive(found.rows.filter(({ state }) => state === 'running').map(({ bot_id: id }) => id));
  const isFiltered = Object.keys(input).length > 0;
  return (
    <div className="broadcasts">
      <header className="broadcasts-head">
        <h1>{words.title}</h1>
        {mayBroadcast(account) && (
          <Link to="/broadcasts/add" search={given({ bot: filter.bot })} className="button primary">
            <Icon name="plus" />
            {words.add}
          </Link>
        )}
        <p className="muted">{words.hint}</p>
      </header>
      <Filters filter={filter} />
      {found.isError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.data && found.rows.length === 0 && (
        <Empty title={isFiltered ? words.noMatch : words.empty} {...(isFiltered ? {} : { hint: words.emptyHint })} />
      )}
      {(found.rows.length > 0 || found.isPending) && (
        <div className="broadcast-table">
          <VirtualTable
            label={words.list}
            of={filter}
            columns={columnsOf(words, number)}
            total={found.isPending ? 6 : found.rows.length}
            rowAt={(index) => found.rows[index]}
            keyOf={({ id }) => id}
            shows={found.shows}
            stale={found.isPending || found.isPlaceholderData}
          />
        </div>
      )}
    </div>
  );
}

function Filters({ filter }: { filter: BroadcastFilter }): ReactNode {
  const { filters: words, states } = useBroadcastsWords();
  const navigate = route.useNavigate();
  const change = (changes: { [Name in keyof BroadcastFilter]: BroadcastFilter[Name] | undefined }) =>
    void navigate({ search: given({ ...filter, ...changes }), replace: true });
  return (
    <search className="filters" aria-label={words.label}>
      <BotField
        label={words.bot}
        placeholder={words.anyBot}
        botId={filter.bot}
        choose={(bot) => change({ ...filter, bot })}
      />
      <SelectField
        label={words.state}
        options={[['', words.anyState], ...STATES.map((state) => [state, states[state]] as const)]}
        value={filter.state ?? ''}
        choose={(state) => change({ ...filter, state: state || undefined })}
      />
    </search>
  );
}

function columnsOf({ columns }: BroadcastsWords, number: (n: number) => string): Column<Broadcast>[] {
  return [
    {
      name: 'name-cell',
      title: columns.name,
      width: 'minmax(8rem, 2fr)',
      card: 'top-start',
      cell: ({ id, name }) => (
        <Link to="/broadcasts/$broadcast" params={{ broadcast: String(id) }} className="row-link">
          <bdi className="cut">{name}</bdi>
        </Link>
      ),
    },
    { name: 'bot-cell', title: columns.bot, width: 'minmax(6rem, 1fr)', cell: ({ bot_id: id }) => <BotName id={id} /> },
    {
      name: 'state-cell',
      title: columns.state,
      width: '9rem',
      card: 'top-end',
      cell: ({ state }) => <BroadcastBadge state={state} />,
    },
    {
      name: 'progress-cell',
      title: columns.progress,
      width: 'minmax(9rem, 1.5fr)',
      card: 'bottom-start',
      // Before its audience is looked up, there is nothing to count.
      cell: (broadcast) => broadcast.counts.total > 0 && <BroadcastProgress broadcast={broadcast} />,
    },
    {
      name: 'problems-cell',
      title: columns.problems,
      width: '7rem',
      end: true,
      cell: ({ counts }) => (notReceived(counts) === 0 ? '' : number(notReceived(counts))),
    },
    {
      name: 'time-cell',
      title: columns.at,
      width: '9rem',
      end: true,
      card: 'bottom-end',
      cell: ({ started_at: began, send_at, created_at: made }) => (
        <span className="muted">
          <Moment at={began ?? send_at ?? made} />
        </span>
      ),
    },
  ];
}
