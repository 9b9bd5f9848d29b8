import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call, callPage } from '../../call.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { Moment } from '../../parts/time.tsx';
import { useOpenedRow } from '../../parts/use-opened-row.ts';
import { usePages } from '../../parts/use-pages.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { Actor } from '../audit/actor.tsx';
import { DetailsLine } from '../audit/details.tsx';
import { EntryDetails } from '../audit/entry-details.tsx';
import { useChatOfPage } from './chat.tsx';

const PAGE = 100;

const route = getRouteApi('/of-chat/bots/$id/chats/$chat/audit');

/** Who did what in this chat; one entry opens beside the list. Everybody who sees the bot may see it. */
export function ChatAudit(): ReactNode {
  const words = useWords();
  const { bot_id, chat_id } = useChatOfPage();
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const chat = { bot_id, chat_id };
  const entries = usePages<AuditEntryResource>(['chat-audit', bot_id, chat_id], (page, signal) =>
    callPage('listAuditEntries', { ...chat, limit: PAGE, ...page }, signal),
  );
  const find = (id: string, signal: AbortSignal) => call('listAuditEntries', { ...chat, id }, signal);
  const shown = useOpenedRow({ of: 'chat-audit', open, rows: entries.rows, find });
  useRowKeys('.table-body a.row-link');
  return (
    <div className="people">
      {entries.isError && <Failure error={entries.error} retry={() => void entries.refetch()} />}
      {entries.data && entries.rows.length === 0 && <Empty title={words.chat.nothingDone} />}
      {(entries.rows.length > 0 || entries.isPending) && (
        <VirtualTable
          label={words.nav.audit}
          columns={columnsOf(words)}
          total={entries.isPending ? 6 : entries.rows.length}
          rowAt={(index) => entries.rows[index]}
          keyOf={({ id }) => id}
          shows={entries.shows}
          stale={entries.isPending || entries.isPlaceholderData}
        />
      )}
      {shown && (
        <EntryDetails key={shown.id} entry={shown} close={() => void navigate({ search: {}, replace: true })} />
      )}
    </div>
  );
}

function columnsOf({ audit: words }: Words): Column<AuditEntryResource>[] {
  const { columns } = words;
  return [
    {
      name: 'action-cell',
      title: columns.action,
      width: 'minmax(9rem, 1.4fr)',
      cell: ({ id, action }) => (
        <Link
          from="/bots/$id/chats/$chat/audit"
          to="."
          search={{ open: String(id) }}
          replace
          resetScroll={false}
          className="cut row-link"
        >
          {words.actions[action] ?? action}
        </Link>
      ),
    },
    {
      name: 'who-cell',
      title: columns.actor,
      width: 'minmax(7rem, 1fr)',
      cell: (entry) => (
        <span className="cut">
          <Actor entry={entry} />
        </span>
      ),
    },
    {
      name: 'id-cell',
      title: columns.details,
      width: 'minmax(6rem, 2fr)',
      cell: (entry) => <DetailsLine entry={entry} />,
    },
    {
      name: 'at-cell',
      title: columns.at,
      width: '8.5rem',
      end: true,
      cell: ({ date }) => (
        <span className="muted">
          <Moment at={new Date(date * 1_000).toISOString()} />
        </span>
      ),
    },
  ];
}
