import type { Role } from '@flotilla/contract/accounts.ts';
import type { ApiKeyResource } from '@flotilla/contract/api-keys.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BotsShown } from '../../parts/bots-field.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Ago } from '../../parts/time.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import type { AccessAddress } from './access-view.ts';
import { McpChatsShown } from './mcp-reach.tsx';
import { useMcpWords } from './mcp-words.ts';

type Asked = {
  data: unknown;
  error: Error | null;
  isPending: boolean;
  isPlaceholderData: boolean;
  refetch: () => unknown;
};
type TableProps<Row> = {
  label: string;
  asked: Asked;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  shows: (first: number, last: number) => void;
  /** In the place of rows, when there are none. */
  empty: ReactNode;
};

/** Accounts or keys, or why there are none. */
export function AccessTable<Row extends { id: number }>(props: TableProps<Row>): ReactNode {
  const { label, asked, rows, columns, shows, empty } = props;
  return (
    <>
      {asked.error && <Failure error={asked.error} retry={() => void asked.refetch()} />}
      {asked.data !== undefined && rows.length === 0 && empty}
      {(rows.length > 0 || asked.isPending) && (
        <VirtualTable
          label={label}
          columns={columns}
          total={asked.isPending ? 4 : rows.length}
          rowAt={(index) => rows[index]}
          keyOf={({ id }) => id}
          shows={shows}
          stale={asked.isPending || asked.isPlaceholderData}
        />
      )}
    </>
  );
}

type Shared = Pick<ApiKeyResource, 'mcp' | 'mcp_chats' | 'bot_labels'> & {
  role: Role;
  bot_ids: readonly number[] | null;
};

type SharedProps<Row> = {
  last: { title: string; of: (row: Row) => string | null | undefined };
  reach: Pick<Column<Row>, 'title' | 'card'>;
};

/** The columns that accounts and keys share, behind the own ones of each. */
export function sharedColumns<Row extends Shared>(words: Words, { last, reach }: SharedProps<Row>): Column<Row>[] {
  const { columns } = words.access;
  return [
    { name: 'role-cell', title: columns.role, width: '9.5rem', cell: (row) => <RoleShown row={row} /> },
    {
      name: 'bots-cell',
      ...reach,
      width: 'minmax(6rem, 1fr)',
      cell: ({ bot_ids: bots, bot_labels: labels, mcp_chats: chats }) =>
        chats === undefined ? <BotsShown bots={bots} labels={labels} /> : <McpChatsShown chats={chats} />,
    },
    {
      name: 'last-cell',
      card: 'bottom-end',
      title: last.title,
      width: '9rem',
      end: true,
      cell: (row) => {
        const at = last.of(row);
        return <span className="muted">{at ? <Ago at={at} /> : words.fleet.never}</span>;
      },
    },
  ];
}

function RoleShown({ row: { role, mcp } }: { row: Shared }): ReactNode {
  const words = useWords();
  const { may } = useMcpWords();
  return mcp === undefined ? words.account.roles[role] : may[mcp];
}

/** Opens a row beside the list. */
export function RowLink({ search, children }: { search: AccessAddress; children: string }): ReactNode {
  return (
    <Link to="/access" search={search} replace resetScroll={false} className="cut row-link">
      <bdi>{children}</bdi>
    </Link>
  );
}
