import type { ApiKeyResource } from '@flotilla/contract/api-keys.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { callPage } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { SelectField } from '../../parts/field.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { Ago } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { useSession } from '../../session.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { BotsShown } from './bots-field.tsx';
import { KeyDetails } from './key-details.tsx';
import { KeyState } from './key-state.tsx';
import { NewKey } from './new-key.tsx';
import { useAccounts } from './people.tsx';

const route = getRouteApi('/access');
const PAGE = 100;

/** The keys of one account: your own, or for an admin anybody's. */
export function Keys(): ReactNode {
  const words = useWords();
  const { account: own } = useSession();
  const { account: asked, open } = route.useSearch();
  const account = own.role === 'admin' && asked !== undefined ? asked : String(own.id);
  const navigate = route.useNavigate();
  const [making, setMaking] = useState(false);
  const keys = usePages<ApiKeyResource>(['keys', account], (page, signal) =>
    callPage('listApiKeys', { ...page, user_id: account, limit: PAGE }, signal),
  );
  useRowKeys('.table-body a');
  const opened = keys.rows.find(({ id }) => String(id) === open);
  const show = (id: string) => void navigate({ search: { view: 'keys', account: id }, replace: true });
  return (
    <>
      <div className="access-tools">
        {own.role === 'admin' && <WhoseKeys account={account} choose={show} />}
        <p role="status" className="muted">
          {keys.data && words.access.keyCount(keys.total)}
        </p>
        <Button kind="primary" onClick={() => setMaking(true)}>
          {words.access.makeKey}
        </Button>
      </div>
      {keys.isError && <Failure error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data && keys.rows.length === 0 && <Empty title={words.access.noKeys} hint={words.access.noKeysHint} />}
      {(keys.rows.length > 0 || keys.isPending) && (
        <VirtualTable
          label={words.access.views.keys}
          columns={columnsOf(words, account)}
          total={keys.isPending ? 4 : keys.rows.length}
          rowAt={(index) => keys.rows[index]}
          keyOf={(key) => key.id}
          shows={keys.shows}
          stale={keys.isPending || keys.isPlaceholderData}
        />
      )}
      {opened && <KeyDetails key={opened.id} apiKey={opened} all={keys.rows} close={() => show(account)} />}
      {making && <NewKey account={account} close={() => setMaking(false)} />}
    </>
  );
}

function WhoseKeys({ account, choose }: { account: string; choose: (account: string) => void }): ReactNode {
  const { access: words } = useWords();
  const accounts = useAccounts();
  const options = accounts.data?.rows.map(
    ({ id, username, display_name: name }) => [String(id), name ? `${name} (${username})` : username] as const,
  );
  return (
    <SelectField label={words.keysOf} options={options ?? [[account, `#${account}`]]} value={account} choose={choose} />
  );
}

function columnsOf(words: Words, account: string): Column<ApiKeyResource>[] {
  const { columns } = words.access;
  return [
    {
      name: 'name-cell',
      title: words.access.keyName,
      width: 'minmax(8rem, 2fr)',
      cell: ({ id, name }) => (
        <Link
          to="/access"
          search={{ view: 'keys', account, open: String(id) }}
          replace
          resetScroll={false}
          className="cut row-link"
        >
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    {
      name: 'username-cell',
      title: columns.prefix,
      width: '8rem',
      cell: ({ prefix }) => <code className="muted">{prefix}…</code>,
    },
    { name: 'state-cell', title: columns.state, width: '8.5rem', cell: (key) => <KeyState apiKey={key} /> },
    { name: 'role-cell', title: columns.role, width: '9.5rem', cell: ({ role }) => words.account.roles[role] },
    {
      name: 'bots-cell',
      title: columns.bots,
      width: 'minmax(6rem, 1fr)',
      cell: ({ bot_ids: bots }) => <BotsShown bots={bots} />,
    },
    {
      name: 'last-cell',
      title: columns.lastUse,
      width: '8rem',
      end: true,
      cell: ({ last_used_at: at }) => <span className="muted">{at ? <Ago at={at} /> : words.fleet.never}</span>,
    },
  ];
}
