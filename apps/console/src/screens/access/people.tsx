import type { AccountResource } from '@flotilla/contract/accounts.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { callPage } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { TypedField } from '../../parts/filters.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { Ago } from '../../parts/time.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { REFRESH_MS } from '../../queries.ts';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { AccountForm } from './account-form.tsx';
import { BotsShown } from './bots-field.tsx';
import { PersonDetails } from './person-details.tsx';

const route = getRouteApi('/access');
const NOTHING_TO_SHOW = () => {};

export function useAccounts(enabled = true) {
  return useQuery({
    queryKey: ['accounts'],
    queryFn: ({ signal }) => callPage('listAccounts', {}, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    enabled,
  });
}

/** All accounts; one opens beside the list. */
export function People(): ReactNode {
  const words = useWords();
  const { q = '', open } = route.useSearch();
  const navigate = route.useNavigate();
  const accounts = useAccounts();
  const [adding, setAdding] = useState(false);
  useRowKeys('.table-body a');
  const rows = (accounts.data?.rows ?? []).filter(named(q));
  const opened = accounts.data?.rows.find(({ id }) => String(id) === open);
  const search = (typed: string) =>
    void navigate({ search: { view: 'people', ...(typed.trim() ? { q: typed } : {}) }, replace: true });
  return (
    <>
      <div className="access-tools">
        <TypedField slash label={words.access.findPeople} text={q} choose={search} />
        <p role="status" className="muted">
          {accounts.data && words.access.accountCount(rows.length)}
        </p>
        <Button kind="primary" onClick={() => setAdding(true)}>
          {words.access.addAccount}
        </Button>
      </div>
      {accounts.isError && <Failure error={accounts.error} retry={() => void accounts.refetch()} />}
      {accounts.data && rows.length === 0 && <Empty title={words.access.nobody} />}
      {(rows.length > 0 || accounts.isPending) && (
        <VirtualTable
          label={words.access.views.people}
          columns={columnsOf(words, q)}
          total={accounts.isPending ? 4 : rows.length}
          rowAt={(index) => rows[index]}
          keyOf={(account) => account.id}
          shows={NOTHING_TO_SHOW}
          stale={accounts.isPending}
        />
      )}
      {opened && <PersonDetails key={opened.id} account={opened} close={() => search(q)} />}
      {adding && <AccountForm close={() => setAdding(false)} />}
    </>
  );
}

function named(q: string): (account: AccountResource) => boolean {
  const part = q.trim().toLowerCase();
  return ({ username, display_name: name }) => `${username}\n${name}`.toLowerCase().includes(part);
}

function columnsOf(words: Words, q: string): Column<AccountResource>[] {
  const { columns } = words.access;
  return [
    {
      name: 'name-cell',
      title: columns.name,
      width: 'minmax(8rem, 2fr)',
      cell: ({ id, username, display_name: name }) => (
        <Link
          to="/access"
          search={{ view: 'people', ...(q ? { q } : {}), open: String(id) }}
          replace
          resetScroll={false}
          className="cut row-link"
        >
          <bdi>{name || username}</bdi>
        </Link>
      ),
    },
    {
      name: 'username-cell',
      title: columns.username,
      width: 'minmax(7rem, 1.5fr)',
      cell: ({ username }) => <bdi className="muted cut">{username}</bdi>,
    },
    { name: 'role-cell', title: columns.role, width: '9.5rem', cell: ({ role }) => words.account.roles[role] },
    {
      name: 'bots-cell',
      title: columns.bots,
      width: 'minmax(6rem, 1fr)',
      cell: ({ bot_ids: bots }) => <BotsShown bots={bots} />,
    },
    {
      name: 'last-cell',
      title: columns.lastSignIn,
      width: '9rem',
      end: true,
      cell: ({ last_login_at: at }) => <span className="muted">{at ? <Ago at={at} /> : words.fleet.never}</span>,
    },
  ];
}
