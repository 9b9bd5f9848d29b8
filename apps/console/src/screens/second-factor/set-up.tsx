import type { CallAnswer } from '@flotilla/contract/operation.ts';
import type { secondFactorOperations } from '@flotilla/contract/second-factor.ts';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { CodePicture } from '../../parts/code-picture.tsx';
import { Field, PasswordField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Secret } from '../../parts/shown-once.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useWords } from '../../words/words.tsx';
import { useFactorWords } from './factor-words.ts';

type Begun = CallAnswer<(typeof secondFactorOperations)['beginTotp']>;

type SetUpProps = {
  actions: (act: string, busy: boolean) => ReactNode;
  done: (recoveryCodes: readonly string[]) => void;
};

/** Sets up an authenticator app: the password, then the secret and a code of it. */
export function SetUp({ actions, done }: SetUpProps): ReactNode {
  const [begun, setBegun] = useState<Begun | null>(null);
  return begun === null ? (
    <AskPassword actions={actions} begun={setBegun} />
  ) : (
    <AskCode actions={actions} begun={begun} done={done} />
  );
}

function AskPassword({ actions, begun }: Pick<SetUpProps, 'actions'> & { begun: (begun: Begun) => void }): ReactNode {
  const words = useFactorWords();
  const { signIn } = useWords();
  const { text, asked } = useForm({
    known: () => ({ password: '' }),
    fields: ['password'],
    send: async ({ password }) => begun(await call('beginTotp', { password })),
  });
  return (
    <Form {...asked} className="" actions={actions(words.next, asked.busy)}>
      <p className="muted">{words.passwordHint}</p>
      <PasswordField label={signIn.password} autoComplete="current-password" autoFocus required {...text('password')} />
    </Form>
  );
}

function AskCode({ actions, begun, done }: SetUpProps & { begun: Begun }): ReactNode {
  const words = useFactorWords();
  const { text, asked } = useForm({
    known: () => ({ code: '' }),
    fields: ['code'],
    send: async ({ code }) => done((await call('confirmTotp', { code })).recovery_codes),
  });
  return (
    <Form {...asked} className="" actions={actions(words.confirm, asked.busy)}>
      <p className="muted">{words.scan}</p>
      <CodePicture text={begun.uri} label={words.picture} />
      <Secret text={begun.secret} />
      <Field label={words.code} inputMode="numeric" autoComplete="one-time-code" autoFocus required {...text('code')} />
    </Form>
  );
}
