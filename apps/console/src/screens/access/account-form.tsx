import type { AccountResource } from '@flotilla/contract/accounts.ts';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, callTagged } from '../../call.ts';
import { BotsField } from '../../parts/bots-field.tsx';
import { changedFields } from '../../parts/changed-fields.ts';
import { CheckField } from '../../parts/check-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field, SelectField } from '../../parts/field.tsx';
import { LabelsField } from '../../parts/labels-field.tsx';
import type { Shared } from '../../parts/shared-change.ts';
import { useForm } from '../../parts/use-form.ts';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { useSignInWays } from '../sign-in/provider.tsx';
import { NewPasswordField } from './new-password-field.tsx';

type Fields = Pick<AccountResource, 'username' | 'display_name' | 'role' | 'bot_ids' | 'bot_labels' | 'rights'> & {
  oidc_subject: string;
};
const NEW_ACCOUNT: Fields = {
  ...{ username: '', display_name: '', role: 'user', bot_ids: [], bot_labels: [], rights: [] },
  oidc_subject: '',
};

function fieldsOf({ username, display_name, role, oidc_subject = '', ...reach }: AccountResource): Fields {
  const { bot_ids, bot_labels, rights } = reach;
  return { username, display_name, role, bot_ids, bot_labels, rights, oidc_subject };
}

type Draft = Fields & { password: string; must_change_password: boolean };

const draftOf = (fields: Fields): Draft => ({ ...fields, password: '', must_change_password: true });

function changesOf(draft: Fields, known: Fields): Partial<Fields> {
  const changes = changedFields(draft, known);
  // An admin is shown with all bots, whatever list it has for when it is a user: then it gets the bots shown here.
  return changes.role === 'user' ? { ...changes, bot_ids: draft.bot_ids } : changes;
}

/** Nobody at the identity provider is null for the api. */
function inputOf<Given extends { oidc_subject?: string }>({ oidc_subject, ...fields }: Given) {
  return { ...fields, ...(oidc_subject === undefined ? {} : { oidc_subject: oidc_subject.trim() || null }) };
}

/** Creates an account, or changes one. */
export function AccountForm({ account, close }: { account?: AccountResource; close: () => void }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const ways = useSignInWays();
  const isNew = account === undefined;
  const { draft, faults, change, text, choice, flag, asked } = useForm({
    known: () => draftOf(isNew ? NEW_ACCOUNT : fieldsOf(account)),
    fields: ['username', 'display_name', 'password', 'bot_ids', 'bot_labels', 'role', 'oidc_subject'],
    check: ({ username }) => ({ username: username.trim() === '' ? words.errors.required : undefined }),
    shared: isNew ? undefined : sharedAccount(account.id, words),
    async send(now, known, ifMatch) {
      const changes = changesOf(now, known);
      if (isNew) await call('addAccount', inputOf(now));
      else if (Object.keys(changes).length > 0) {
        await call('updateAccount', { id: account.id, ...inputOf(changes) }, undefined, { ifMatch });
      }
      await queries.invalidateQueries({ queryKey: ['accounts'] });
      close();
    },
  });
  return (
    <Confirm
      title={isNew ? words.access.addAccount : words.access.editAccount}
      act={isNew ? words.access.create : words.access.save}
      close={close}
      {...asked}
    >
      <Field
        label={words.signIn.username}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        autoFocus
        maxLength={64}
        {...text('username')}
      />
      <Field label={words.access.displayName} autoComplete="off" maxLength={128} {...text('display_name')} />
      {isNew && (
        <>
          <NewPasswordField
            value={draft.password}
            change={(password) => change({ password })}
            fault={faults.password && words.password.refused}
          />
          <CheckField label={words.access.mustChange} {...flag('must_change_password')} />
        </>
      )}
      <SelectField
        label={words.access.columns.role}
        options={[
          ['user', words.account.roles.user],
          ['admin', words.account.roles.admin],
        ]}
        hint={words.access.roleHints[draft.role]}
        fault={faults.role}
        {...choice('role')}
      />
      <BotsField bots={draft.bot_ids} choose={(bots) => change({ bot_ids: bots })} fault={faults.bot_ids ?? null}>
        <LabelsField
          labels={draft.bot_labels}
          choose={(labels) => change({ bot_labels: labels })}
          fault={faults.bot_labels}
        />
      </BotsField>
      {ways?.oidc && (
        <Field
          label={words.access.subject}
          hint={words.access.subjectHint(ways.oidc.name)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={255}
          {...text('oidc_subject')}
        />
      )}
      {draft.role === 'user' && (
        <CheckField
          label={words.access.mayBroadcast}
          hint={words.access.mayBroadcastHint}
          on={draft.rights.includes('broadcast')}
          toggle={(on) => change({ rights: on ? ['broadcast'] : [] })}
        />
      )}
    </Confirm>
  );
}

function sharedAccount(id: number, { access, signIn }: Words): Shared<AccountResource, Draft> {
  return {
    read: () => callTagged('showAccount', { id }),
    draftOf: (account) => draftOf(fieldsOf(account)),
    names: {
      ...{ username: signIn.username, display_name: access.columns.name, role: access.columns.role },
      ...{ bot_ids: access.bots, bot_labels: access.labels, rights: access.rights, oidc_subject: access.subject },
    },
    // Another role takes the bots shown.
    together: [['role', 'bot_ids']],
    audited: { action: 'account_update', isOf: ({ target_id }) => target_id === id },
  };
}
