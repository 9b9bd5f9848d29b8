import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Confirm } from '../../parts/confirm.tsx';
import { Field, PasswordField } from '../../parts/field.tsx';
import { passkeyOptions, provePasskey } from '../../parts/passkey.ts';
import { useForm } from '../../parts/use-form.ts';
import { useWords } from '../../words/words.tsx';
import { useFactorWords } from './factor-words.ts';
import { PasskeyFault, passkeyFaults } from './passkey-fault.tsx';

type Proof = { password: string; code?: string; passkey?: string };
type RemoveProps = {
  title: string;
  username: string;
  /** A passkey of the account proves it, where no code is typed. */
  mayProve: boolean;
  send: (proof: Proof) => Promise<unknown>;
  close: () => void;
};

/** Asks for the password and for what the account has beside it. */
export function RemoveFactor({ title, username, mayProve, send, close }: RemoveProps): ReactNode {
  const words = useFactorWords();
  const { signIn, errors } = useWords();
  const queries = useQueryClient();
  const { text, faults, asked } = useForm({
    known: () => ({ password: '', code: '' }),
    readFaults: passkeyFaults(words.noPasskey, ['password', 'code', 'passkey']),
    check: ({ code }) => ({ code: code.trim() === '' && !mayProve ? errors.required : undefined }),
    async send({ password, code }) {
      const options = code.trim() === '' ? await passkeyOptions({ username, password }) : null;
      await send({ password, ...(options === null ? { code } : { passkey: await provePasskey(options) }) });
      await queries.invalidateQueries();
      close();
    },
  });
  return (
    <Confirm title={title} description={words.removeHint} act={words.removeAct} close={close} danger {...asked}>
      <PasswordField label={signIn.password} autoComplete="current-password" autoFocus required {...text('password')} />
      <Field
        label={words.code}
        hint={mayProve ? words.codeOrPasskeyHint : words.codeHint}
        autoComplete="one-time-code"
        required={!mayProve}
        {...text('code')}
      />
      <PasskeyFault fault={faults.passkey} />
    </Confirm>
  );
}
