import type { AccountResource } from '@flotilla/contract/accounts.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { callPage } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { TypedField } from '../../parts/filters.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import type { Column } from '../../parts/virtual-table.tsx';
import { REFRESH_MS } from '../../queries.ts';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { AccessTable, RowLink, sharedColumns } from './access-table.tsx';
import { AccountForm } from './account-form.tsx';
import { PersonDetails } from './person-details.tsx';

const route = getRouteApi('/access');
const NOTHING_TO_SHOW = () => {};

/** All accounts; only admins may ask for them. */
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
      <AccessTable
        label={words.access.views.people}
        asked={accounts}
        rows={rows}
        columns={columnsOf(words, q)}
        shows={NOTHING_TO_SHOW}
        empty={<Empty title={words.access.nobody} />}
      />
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
      card: 'top-start',
      title: columns.name,
      width: 'minmax(8rem, 2fr)',
      cell: ({ id, username, display_name: name }) => (
        <RowLink search={{ view: 'people', ...(q ? { q } : {}), open: String(id) }}>{name || username}</RowLink>
      ),
    },
    {
      name: 'username-cell',
      card: 'bottom-start',
      title: columns.username,
      width: 'minmax(7rem, 1.5fr)',
      cell: ({ username }) => <bdi className="muted cut">{username}</bdi>,
    },
    ...sharedColumns<AccountResource>(words, {
      last: { title: columns.lastSignIn, of: (one) => one.last_login_at },
      reach: { title: columns.bots },
    }),
  ];
}
