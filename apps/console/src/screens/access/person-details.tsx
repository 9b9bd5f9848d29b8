import type { AccountResource } from '@flotilla/contract/accounts.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call, callPage } from '../../call.ts';
import { BotName } from '../../parts/bot-name.tsx';
import { Button } from '../../parts/button.tsx';
import { CheckField } from '../../parts/check-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { Ago, Moment } from '../../parts/time.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { AccountForm } from './account-form.tsx';
import { type LeftToken, LeftTokens } from './left-tokens.tsx';
import { NewPasswordField } from './new-password-field.tsx';

/** The rights of an account, and the acts of an admin on it. */
export function PersonDetails({ account, close }: { account: AccountResource; close: () => void }): ReactNode {
  const words = useWords();
  const own = useSession().account.id === account.id;
  const [over, setOver] = useState<'edit' | 'reset' | 'factor' | 'delete' | null>(null);
  const closeOver = () => setOver(null);
  const {
    id,
    username,
    display_name: name,
    role,
    bot_ids: bots,
    bot_labels: labels,
    rights,
    last_login_at: last,
  } = account;
  const keys = useQuery({
    queryKey: ['keys', String(id), 'count'],
    queryFn: ({ signal }) => callPage('listApiKeys', { user_id: id, limit: 1 }, signal),
  });
  return (
    <Inspector title={name || username} close={close}>
      <Facts
        rows={[
          [words.signIn.username, <bdi key="username">{username}</bdi>],
          [words.access.columns.role, words.account.roles[role]],
          [words.access.bots, <BotList key="bots" bots={bots} />],
          ...(labels.length === 0 ? [] : [[words.access.labels, <bdi key="labels">{labels.join(', ')}</bdi>] as const]),
          ...(role === 'user' && rights.includes('broadcast')
            ? [[words.access.rights, words.access.mayBroadcast] as const]
            : []),
          [words.access.columns.lastSignIn, last ? <Ago key="last" at={last} /> : words.fleet.never],
          [words.access.created, <Moment key="created" at={account.created_at} />],
          [words.access.password, account.must_change_password ? words.access.mustChangeNow : words.access.ownPassword],
          ...(account.second_factor ? [[words.access.factor, words.access.factorOn] as const] : []),
          ...(account.oidc_subject === undefined
            ? []
            : [[words.access.subject, <bdi key="subject">{account.oidc_subject}</bdi>] as const]),
          [
            words.access.views.keys,
            <Link key="keys" to="/access" search={{ view: 'keys', account: String(id) }}>
              {keys.data ? words.access.keyCount(keys.data.total) : words.access.views.keys}
            </Link>,
          ],
        ]}
      />
      <div className="actions apart">
        <Button onClick={() => setOver('edit')}>{words.access.edit}</Button>
        {!own && <Button onClick={() => setOver('reset')}>{words.access.resetPassword}</Button>}
        {account.second_factor && !own && <Button onClick={() => setOver('factor')}>{words.access.resetFactor}</Button>}
        {!own && <Button onClick={() => setOver('delete')}>{words.access.remove}</Button>}
        <Link to="/audit" search={{ actor: username }} className="button quiet">
          {words.access.whatTheyDid}
        </Link>
      </div>
      {own && <p className="hint">{words.access.ownAccount}</p>}
      {over === 'edit' && <AccountForm account={account} close={closeOver} />}
      {over === 'reset' && <ResetPassword account={account} close={closeOver} />}
      {over === 'factor' && <ResetFactor account={account} close={closeOver} />}
      {over === 'delete' && (
        <DeleteAccount account={account} keys={keys.data?.total} close={closeOver} deleted={close} />
      )}
    </Inspector>
  );
}

function BotList({ bots }: { bots: readonly number[] | null }): ReactNode {
  const { access: words } = useWords();
  if (bots === null) return words.allBots;
  if (bots.length === 0) return words.noBots;
  return (
    <ul>
      {bots.map((id) => (
        <li key={id}>
          <BotName id={id} />
        </li>
      ))}
    </ul>
  );
}

function ResetPassword({ account, close }: { account: AccountResource; close: () => void }): ReactNode {
  const { access: words, password: passwords } = useWords();
  const queries = useQueryClient();
  const { draft, faults, change, flag, asked } = useForm({
    known: () => ({ password: '', revoke_keys: false }),
    fields: ['password'],
    async send(input) {
      await call('resetPassword', { id: account.id, ...input });
      await queries.invalidateQueries();
      close();
    },
  });
  return (
    <Confirm
      title={words.resetTitle(account.username)}
      description={words.resetHint}
      act={words.setPassword}
      close={close}
      {...asked}
    >
      <NewPasswordField
        value={draft.password}
        change={(password) => change({ password })}
        fault={faults.password && passwords.refused}
      />
      <CheckField label={words.revokeKeys} hint={words.revokeHint} {...flag('revoke_keys')} />
    </Confirm>
  );
}

function ResetFactor({ account, close }: { account: AccountResource; close: () => void }): ReactNode {
  const { access: words } = useWords();
  const queries = useQueryClient();
  const reset = useMutation({
    mutationFn: () => call('resetSecondFactor', { id: account.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['accounts'] });
      close();
    },
  });
  return (
    <Confirm
      title={words.resetFactorTitle(account.username)}
      description={words.resetFactorHint}
      act={words.resetFactorAct}
      danger
      run={() => reset.mutate()}
      close={close}
      busy={reset.isPending}
      error={reset.error}
    />
  );
}

type DeleteProps = { account: AccountResource; keys: number | undefined; close: () => void; deleted: () => void };

function DeleteAccount({ account, keys, close, deleted }: DeleteProps): ReactNode {
  const { access: words } = useWords();
  const queries = useQueryClient();
  const [left, setLeft] = useState<readonly LeftToken[]>([]);
  const end = async () => {
    await queries.invalidateQueries({ queryKey: ['accounts'] });
    deleted();
  };
  const remove = useMutation({
    mutationFn: () => call('deleteAccount', { id: account.id }),
    // The list of accounts is asked for again at the end, because this dialog goes with its row.
    onSuccess: ({ program_tokens: tokens }) => (tokens.length === 0 ? end() : setLeft(tokens)),
  });
  if (left.length > 0) return <LeftTokens tokens={left} close={() => void end()} />;
  return (
    <Confirm
      title={words.deleteTitle(account.username)}
      description={words.deleteHint(keys ?? 0)}
      act={words.remove}
      danger
      run={() => remove.mutate()}
      close={close}
      busy={remove.isPending}
      error={remove.error}
    />
  );
}
