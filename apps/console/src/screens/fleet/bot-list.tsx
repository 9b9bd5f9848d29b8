import type { BotResource, BotSort } from '@flotilla/contract/bots.ts';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useState } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { FilterField } from '../../parts/filter-field.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { BotBadge, markOf } from '../../parts/state-badge.tsx';
import { Ago, useNumber } from '../../parts/time.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { seesWholeFleet, useSession } from '../../session.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { type FleetFilter, SORTS } from './fleet-filter.ts';
import { FleetViews } from './fleet-views.tsx';
import { BotDay, BotQuality, ShortActivity } from './short-activity.tsx';
import { useBots } from './use-bots.ts';

export function BotList({ filter }: { filter: FleetFilter }): ReactNode {
  const words = useWords();
  const number = useNumber();
  const navigate = useNavigate({ from: '/' });
  const { head, total, rowAt, shows: askFor } = useBots(filter);
  const [[first, last], setShown] = useState([0, -1]);
  const shows = useCallback(
    (from: number, to: number) => {
      askFor(from, to);
      setShown([from, to]);
    },
    [askFor],
  );
  const ids = Array.from({ length: last - first + 1 }, (_, at) => rowAt(first + at)?.id).filter(
    (id) => id !== undefined,
  );
  useRowKeys('.table-body a');
  const sortBy = (sort: BotSort | undefined) =>
    void navigate({
      search: ({ sort: _, ...others }: FleetFilter) => (sort === undefined ? others : { ...others, sort }),
      replace: true,
    });
  const { q: wanted, state, attention, label } = filter;
  const isFiltered = [wanted, state, attention, label].some((one) => one !== undefined);
  if (head.data && total === 0 && !isFiltered) return <NoBots />;
  return (
    <>
      <div className="list-tools">
        <FilterField
          label={words.fleet.filter}
          hint={words.fleet.filterHint}
          text={filter.q ?? ''}
          change={(q) =>
            void navigate({
              search: ({ q: _, ...others }: FleetFilter) => (q.trim() ? { ...others, q } : others),
              replace: true,
            })
          }
        />
        <p role="status" className="muted">
          {head.data && words.fleet.count(total)}
        </p>
        <FleetViews filter={filter} />
      </div>
      {head.isError && <Failure error={head.error} retry={() => void head.refetch()} />}
      {head.data && total === 0 && <NoMatch />}
      {(total > 0 || head.isPending) && (
        <ShortActivity ids={ids}>
          <VirtualTable
            label={words.fleet.list}
            of={filter}
            columns={columnsOf(words, number).map((column) => sortable(column, filter.sort, sortBy))}
            total={head.isPending ? 12 : total}
            rowAt={rowAt}
            keyOf={(bot) => bot.id}
            shows={shows}
            stale={head.isPending || head.isPlaceholderData}
          />
        </ShortActivity>
      )}
    </>
  );
}

function columnsOf({ fleet: words }: Words, number: (n: number) => string): Column<BotResource>[] {
  const { columns } = words;
  return [
    { name: 'state-cell', title: columns.state, width: '13rem', cell: (bot) => <BotBadge mark={markOf(bot)} /> },
    { name: 'name-cell', title: columns.name, width: 'minmax(9rem, 1fr)', cell: (bot) => <BotName bot={bot} /> },
    { name: 'readers-cell', title: columns.readers, width: '6rem', cell: (bot) => readersOf(bot, words) },
    {
      name: 'pending-cell',
      title: columns.pending,
      width: '5.5rem',
      end: true,
      cell: ({ pending_update_count: pending }) =>
        pending === 0 ? number(0) : <span className="some">{number(pending)}</span>,
    },
    {
      name: 'quality-cell',
      title: columns.quality,
      width: '9rem',
      end: true,
      cell: ({ id }) => <BotQuality id={id} />,
    },
    { name: 'day-cell', title: columns.day, width: '4.5rem', cell: ({ id }) => <BotDay id={id} /> },
    {
      name: 'last-cell',
      title: columns.last,
      width: '7.5rem',
      end: true,
      cell: ({ last_update_at: at }) => (at ? <Ago at={at} /> : words.never),
    },
  ];
}

const SORT_OF_COLUMN: Readonly<Record<string, BotSort>> = {
  'state-cell': 'attention',
  'name-cell': 'name',
  'pending-cell': 'pending',
  'last-cell': 'last_update',
};

/** A second press on the column gives the first order back. */
function sortable(
  column: Column<BotResource>,
  chosen: BotSort | undefined,
  sortBy: (sort: BotSort | undefined) => void,
): Column<BotResource> {
  const sort = SORT_OF_COLUMN[column.name];
  if (sort === undefined) return column;
  const active = sort === (chosen ?? 'attention');
  return { ...column, sort: { order: SORTS[sort], active, toggle: () => sortBy(active ? undefined : sort) } };
}

/** Bots may have the same name: the username has the room first. */
function BotName({ bot }: { bot: BotResource }): ReactNode {
  return (
    <>
      <Link to="/bots/$id" params={{ id: String(bot.id) }} className="cut row-link">
        <bdi>{bot.name}</bdi>
      </Link>
      <bdi className="cut username">@{bot.username}</bdi>
      {bot.labels.length > 0 && <bdi className="cut username bot-labels">{bot.labels.join(' · ')}</bdi>}
    </>
  );
}

function readersOf(bot: BotResource, { readers }: Words['fleet']): string {
  if (bot.proxy_enabled && bot.long_poll_enabled) return readers.both;
  if (bot.proxy_enabled) return readers.push;
  return bot.long_poll_enabled ? readers.pull : readers.none;
}

function NoMatch(): ReactNode {
  const { fleet: words } = useWords();
  return (
    <Empty title={words.noMatch}>
      <Link to="/" className="button plain">
        {words.clear}
      </Link>
    </Empty>
  );
}

function NoBots(): ReactNode {
  const { fleet: words } = useWords();
  const canAdd = seesWholeFleet(useSession().account);
  return (
    <Empty title={words.empty} hint={canAdd ? words.addHint : words.emptyUser}>
      {canAdd && (
        <Link to="/bots/add" className="button primary">
          {words.addFirst}
        </Link>
      )}
    </Empty>
  );
}
