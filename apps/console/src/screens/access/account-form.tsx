import type { AccountResource, Role } from '@flotilla/contract/accounts.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { CheckField } from '../../parts/check-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field, SelectField } from '../../parts/field.tsx';
import { faultsOf } from '../../parts/form-faults.ts';
import { useWords } from '../../words/words.tsx';
import { BotsField } from './bots-field.tsx';
import { NewPasswordField } from './new-password-field.tsx';

/** Creates an account, or changes one. */
export function AccountForm({ account, close }: { account?: AccountResource; close: () => void }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [username, setUsername] = useState(account?.username ?? '');
  const [name, setName] = useState(account?.display_name ?? '');
  const [password, setPassword] = useState('');
  const [mustChange, setMustChange] = useState(true);
  const [role, setRole] = useState<Role>(account?.role ?? 'user');
  const [bots, setBots] = useState(account === undefined ? [] : account.bot_ids);
  const save = useMutation({
    mutationFn: async () => {
      const fields = { username, display_name: name, role, bot_ids: bots };
      if (account === undefined) await call('addAccount', { ...fields, password, must_change_password: mustChange });
      else await call('updateAccount', { id: account.id, ...fields });
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
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <Field
        label={words.access.displayName}
        autoComplete="off"
        maxLength={128}
        fault={faults.display_name}
        value={name}
        onChange={(event) => setName(event.target.value)}
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
        hint={words.access.roleHints[role]}
        fault={faults.role}
        value={role}
        choose={setRole}
      />
      <BotsField bots={bots} choose={setBots} fault={faults.bot_ids ?? null} />
    </Confirm>
  );
}
