import type { Role } from '@flotilla/contract/accounts.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { BotsField } from '../../parts/bots-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field, SelectField } from '../../parts/field.tsx';
import { faultsOf } from '../../parts/form-faults.ts';
import { expiryOf, LifetimeField, useLifetime } from '../../parts/lifetime-field.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';

/** Makes a key, and shows it once: it is in no query, no cache and no address, and is gone when the dialog closes. */
export function NewKey({ account, close }: { account: string; close: () => void }): ReactNode {
  const { access, once } = useWords();
  const [made, setMade] = useState<string | null>(null);
  return made === null ? (
    <NewKeyForm account={account} close={close} made={setMade} />
  ) : (
    <ShownOnce title={access.keyMade} description={once.hint} secret={made} close={close} />
  );
}

type FormProps = { account: string; close: () => void; made: (secret: string) => void };

function NewKeyForm({ account, close, made }: FormProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const { account: own } = useSession();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role | ''>('');
  const [bots, setBots] = useState<number[] | null>(null);
  const [lifetime, setLifetime] = useLifetime('90');
  const make = useMutation({
    // The result stays here: a cache of results would keep the secret.
    mutationFn: async () => {
      const expires = expiryOf(lifetime);
      const { key } = await call('createApiKey', {
        ...{ name, bot_ids: bots, user_id: Number(account) },
        ...(role === '' ? {} : { role }),
        ...(expires === undefined ? {} : { expires_at: expires }),
      });
      made(key);
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  const { faults, other } = faultsOf(make.error, ['name', 'role', 'bot_ids', 'expires_at']);
  const narrow = own.role === 'admin' ? (['', 'user', 'admin'] as const) : (['', 'user'] as const);
  return (
    <Confirm
      title={words.access.makeKey}
      act={words.access.create}
      run={() => make.mutate()}
      close={close}
      busy={make.isPending}
      error={other}
    >
      <Field
        label={words.access.keyName}
        hint={words.access.keyNameHint}
        autoComplete="off"
        required
        autoFocus
        maxLength={128}
        fault={faults.name}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label={words.access.columns.role}
        options={narrow.map((one) => [one, one === '' ? words.access.roleOfAccount : words.account.roles[one]])}
        fault={faults.role}
        value={role}
        choose={setRole}
      />
      <BotsField bots={bots} choose={setBots} fault={faults.bot_ids ?? null} />
      <LifetimeField
        lifetime={lifetime}
        choose={setLifetime}
        neverHint={words.access.neverHint}
        fault={faults.expires_at}
      />
    </Confirm>
  );
}
