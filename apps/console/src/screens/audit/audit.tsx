import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call, callPage } from '../../call.ts';
import { BotName } from '../../parts/bot-name.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { given } from '../../parts/filters.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { Moment } from '../../parts/time.tsx';
import { useOpenedRow } from '../../parts/use-opened-row.ts';
import { usePages } from '../../parts/use-pages.ts';
import { useTitle } from '../../parts/use-title.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { useSession } from '../../session.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { Actor } from './actor.tsx';
import type { AuditFilter } from './audit-filter.ts';
import { AuditFilters } from './audit-filters.tsx';
import { DetailsLine } from './details.tsx';
import { EntryDetails } from './entry-details.tsx';
import './audit.css';

const route = getRouteApi('/audit');
const PAGE = 100;

/** Who did what in the fleet, newest first. */
export function Audit(): ReactNode {
  const words = useWords();
  const { account } = useSession();
  useTitle(words.audit.title);
  return (
    <div className="audit">
      <h1>{words.audit.title}</h1>
      {account.role === 'admin' ? <AuditList /> : <Empty title={words.audit.adminOnly} hint={words.audit.inChats} />}
    </div>
  );
}

function AuditList(): ReactNode {
  const words = useWords();
  const { open, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const entries = useEntries(filter);
  useRowKeys('.table-body a.row-link');
  const find = (id: string, signal: AbortSignal) => call('listAuditEntries', { id }, signal);
  const shown = useOpenedRow({ of: 'audit', open, rows: entries.rows, find });
  const close = () => void navigate({ search: filter, replace: true });
  return (
    <>
      <AuditFilters filter={filter} />
      <p role="status" className="muted">
        {entries.data && words.audit.count(entries.total)}
      </p>
      {entries.isError && <Failure error={entries.error} retry={() => void entries.refetch()} />}
      {entries.data && entries.rows.length === 0 && <NoEntries filter={filter} />}
      {(entries.rows.length > 0 || entries.isPending) && (
        <VirtualTable
          label={words.audit.title}
          of={filter}
          columns={columnsOf(words, filter)}
          total={entries.isPending ? 12 : entries.rows.length}
          rowAt={(index) => entries.rows[index]}
          keyOf={(entry) => entry.id}
          shows={entries.shows}
          stale={entries.isPending || entries.isPlaceholderData}
        />
      )}
      {shown && <EntryDetails key={shown.id} entry={shown} close={close} />}
    </>
  );
}

function useEntries(filter: AuditFilter) {
  const input = given({
    action: filter.action as AuditAction | undefined,
    actor: filter.actor,
    bot_id: filter.bot,
    from: filter.from && Date.parse(filter.from) / 1_000,
    to: filter.to && Date.parse(filter.to) / 1_000,
  });
  return usePages<AuditEntryResource>(['audit', filter], (page, signal) =>
    callPage('listAuditEntries', { ...input, ...page, limit: PAGE }, signal),
  );
}

function NoEntries({ filter }: { filter: AuditFilter }): ReactNode {
  const { audit: words } = useWords();
  if (Object.keys(filter).length === 0) return <Empty title={words.empty} />;
  return (
    <Empty title={words.noMatch}>
      <Link to="/audit" className="button plain">
        {words.clear}
      </Link>
    </Empty>
  );
}

function columnsOf({ audit: words }: Words, filter: AuditFilter): Column<AuditEntryResource>[] {
  const { columns } = words;
  return [
    {
      name: 'at-cell',
      title: columns.at,
      width: '8.5rem',
      cell: ({ date }) => (
        <span className="muted">
          <Moment at={new Date(date * 1_000).toISOString()} />
        </span>
      ),
    },
    { name: 'actor-cell', title: columns.actor, width: 'minmax(7rem, 1fr)', cell: (entry) => <Actor entry={entry} /> },
    {
      name: 'action-cell',
      title: columns.action,
      width: 'minmax(9rem, 1.4fr)',
      cell: ({ id, action }) => (
        <Link to="/audit" search={{ ...filter, open: String(id) }} replace resetScroll={false} className="cut row-link">
          {words.actions[action] ?? action}
        </Link>
      ),
    },
    {
      name: 'bot-cell',
      title: columns.bot,
      width: 'minmax(6rem, 1fr)',
      cell: ({ bot_id: bot }) => (bot === undefined ? '' : <BotName id={bot} />),
    },
    {
      name: 'details-cell',
      title: columns.details,
      width: 'minmax(6rem, 2fr)',
      cell: (entry) => <DetailsLine entry={entry} />,
    },
  ];
}
