import type { ApiKeyResource } from '@flotilla/contract/api-keys.ts';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { callPage } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { SelectField } from '../../parts/field.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { usePages } from '../../parts/use-pages.ts';
import type { Column } from '../../parts/virtual-table.tsx';
import { useSession } from '../../session.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { AccessTable, RowLink, sharedColumns } from './access-table.tsx';
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
      <AccessTable
        label={words.access.views.keys}
        asked={keys}
        rows={keys.rows}
        columns={columnsOf(words, account)}
        shows={keys.shows}
        empty={<Empty title={words.access.noKeys} hint={words.access.noKeysHint} />}
      />
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
      card: 'top-start',
      title: words.access.keyName,
      width: 'minmax(8rem, 2fr)',
      cell: ({ id, name, mcp }) => (
        <span className="key-name">
          <RowLink search={{ view: 'keys', account, open: String(id) }}>{name}</RowLink>
          {mcp && <span className="mcp-mark">MCP</span>}
        </span>
      ),
    },
    {
      name: 'prefix-cell',
      title: columns.prefix,
      width: '8rem',
      cell: ({ prefix }) => <code className="muted">{prefix}…</code>,
    },
    {
      name: 'state-cell',
      card: 'top-end',
      title: columns.state,
      width: '8.5rem',
      cell: (key) => <KeyState apiKey={key} />,
    },
    ...sharedColumns<ApiKeyResource>(words, {
      last: { title: columns.lastUse, of: (key) => key.last_used_at },
      reach: { title: columns.reach, card: 'bottom-start' },
    }),
  ];
}
