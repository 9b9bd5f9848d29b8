import { type ReactNode, useState } from 'react';
import { type Answer, call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field, PasswordField } from '../../parts/field.tsx';
import { makePasskey } from '../../parts/passkey.ts';
import { Ago } from '../../parts/time.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useWords } from '../../words/words.tsx';
import { useFactorWords } from './factor-words.ts';
import { PasskeyFault, passkeyFaults } from './passkey-fault.tsx';
import { RemoveFactor } from './remove-factor.tsx';

type Passkey = Answer<'showSecondFactor'>['passkeys'][number];

/** The passkeys of the account; each can be removed. */
export function Passkeys({ passkeys, username }: { passkeys: readonly Passkey[]; username: string }): ReactNode {
  const words = useFactorWords();
  const { fleet } = useWords();
  const [removing, setRemoving] = useState<Passkey | null>(null);
  return (
    <>
      <ul className="passkeys" aria-label={words.passkeys}>
        {passkeys.map((passkey) => (
          <li key={passkey.id}>
            <bdi className="cut">{passkey.name}</bdi>
            <span className="muted">
              {words.lastUsed} {passkey.last_used_at ? <Ago at={passkey.last_used_at} /> : fleet.never}
            </span>
            <Button kind="quiet" aria-label={words.removeOf(passkey.name)} onClick={() => setRemoving(passkey)}>
              {words.remove}
            </Button>
          </li>
        ))}
      </ul>
      {removing && (
        <RemoveFactor
          title={words.removePasskeyTitle(removing.name)}
          username={username}
          mayProve
          send={(proof) => call('removePasskey', { id: removing.id, ...proof })}
          close={() => setRemoving(null)}
        />
      )}
    </>
  );
}

type AddProps = { close: () => void; done: (recoveryCodes: readonly string[]) => void };

/** Adds a passkey: its name and the password, then the browser asks. */
export function AddPasskey({ close, done }: AddProps): ReactNode {
  const words = useFactorWords();
  const { signIn, errors } = useWords();
  const { text, faults, asked } = useForm({
    known: () => ({ name: '', password: '' }),
    readFaults: passkeyFaults(words.noPasskeyMade, ['name', 'password', 'passkey']),
    check: ({ name }) => ({ name: name.trim() === '' ? errors.required : undefined }),
    async send({ name, password }) {
      const { options } = await call('beginPasskey', { password });
      const passkey = await makePasskey(options);
      done((await call('addPasskey', { name: name.trim(), passkey })).recovery_codes);
    },
  });
  return (
    <Confirm title={words.addPasskeyTitle} description={words.addPasskeyHint} act={words.next} close={close} {...asked}>
      <Field
        label={words.passkeyName}
        hint={words.passkeyNameHint}
        autoFocus
        required
        maxLength={64}
        {...text('name')}
      />
      <PasswordField label={signIn.password} autoComplete="current-password" required {...text('password')} />
      <PasskeyFault fault={faults.passkey} />
    </Confirm>
  );
}
