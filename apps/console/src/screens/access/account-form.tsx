import type { AccountResource } from '@flotilla/contract/accounts.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { BotsField } from '../../parts/bots-field.tsx';
import { changedFields } from '../../parts/changed-fields.ts';
import { CheckField } from '../../parts/check-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field, SelectField } from '../../parts/field.tsx';
import { faultsOf } from '../../parts/form-faults.ts';
import { useWords } from '../../words/words.tsx';
import { NewPasswordField } from './new-password-field.tsx';

type Fields = Pick<AccountResource, 'username' | 'display_name' | 'role' | 'bot_ids' | 'rights'>;
const NEW_ACCOUNT: Fields = { username: '', display_name: '', role: 'user', bot_ids: [], rights: [] };

function fieldsOf({ username, display_name, role, bot_ids, rights }: AccountResource): Fields {
  return { username, display_name, role, bot_ids, rights };
}

function changesOf(fields: Fields, known: Fields): Partial<Fields> {
  const changes = changedFields(fields, known);
  // An admin is shown with all bots, whatever list it has for when it is a user: then it gets the bots shown here.
  return changes.role === 'user' ? { ...changes, bot_ids: fields.bot_ids } : changes;
}

/** Creates an account, or changes one. */
export function AccountForm({ account, close }: { account?: AccountResource; close: () => void }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [known] = useState(() => (account === undefined ? NEW_ACCOUNT : fieldsOf(account)));
  const [fields, setFields] = useState(known);
  const [password, setPassword] = useState('');
  const [mustChange, setMustChange] = useState(true);
  const change = (changed: Partial<Fields>) => setFields((now) => ({ ...now, ...changed }));
  const save = useMutation({
    mutationFn: async () => {
      const changes = changesOf(fields, known);
      if (account === undefined) await call('addAccount', { ...fields, password, must_change_password: mustChange });
      else if (Object.keys(changes).length > 0) await call('updateAccount', { id: account.id, ...changes });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['accounts'] });
      close();
    },
  });
  const { faults, other } = faultsOf(save.error, ['username', 'display_name', 'password', 'bot_ids', 'role']);
  return (
    <Confirm
      title={account === undefined ? words.access.addAccount : words.access.editAccount}
      act={account === undefined ? words.access.create : words.access.save}
      run={() => save.mutate()}
      close={close}
      busy={save.isPending}
      error={other}
    >
      <Field
        label={words.signIn.username}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        autoFocus
        maxLength={64}
        fault={faults.username}
        value={fields.username}
        onChange={(event) => change({ username: event.target.value })}
      />
      <Field
        label={words.access.displayName}
        autoComplete="off"
        maxLength={128}
        fault={faults.display_name}
        value={fields.display_name}
        onChange={(event) => change({ display_name: event.target.value })}
      />
      {account === undefined && (
        <>
          <NewPasswordField value={password} change={setPassword} fault={faults.password && words.password.refused} />
          <CheckField label={words.access.mustChange} on={mustChange} toggle={setMustChange} />
        </>
      )}
      <SelectField
        label={words.access.columns.role}
        options={[
          ['user', words.account.roles.user],
          ['admin', words.account.roles.admin],
        ]}
        hint={words.access.roleHints[fields.role]}
        fault={faults.role}
        value={fields.role}
        choose={(role) => change({ role })}
      />
      <BotsField bots={fields.bot_ids} choose={(bots) => change({ bot_ids: bots })} fault={faults.bot_ids ?? null} />
      {fields.role === 'user' && (
        <CheckField
          label={words.access.mayBroadcast}
          hint={words.access.mayBroadcastHint}
          on={fields.rights.includes('broadcast')}
          toggle={(on) => change({ rights: on ? ['broadcast'] : [] })}
        />
      )}
    </Confirm>
  );
}
