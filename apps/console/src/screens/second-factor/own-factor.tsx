import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, PasswordField } from '../../parts/field.tsx';
import { KeptActions } from '../../parts/shown-once.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useWords } from '../../words/words.tsx';
import { useFactorWords } from './factor-words.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SetUp } from './set-up.tsx';
import './second-factor.css';

/** The second factor of the own account, with the buttons that set it up and take it away. */
export function OwnFactor(): ReactNode {
  const words = useFactorWords();
  const [over, setOver] = useState<'set-up' | 'remove' | null>(null);
  const factor = useQuery({
    queryKey: ['second-factor'],
    queryFn: ({ signal }) => call('showSecondFactor', {}, signal),
  });
  const close = () => setOver(null);
  return (
    <section className="panel" aria-labelledby="second-factor">
      <header className="panel-head">
        <h2 id="second-factor">{words.title}</h2>
        {factor.data?.totp === false && <Button onClick={() => setOver('set-up')}>{words.setUp}</Button>}
        {factor.data?.totp === true && <Button onClick={() => setOver('remove')}>{words.remove}</Button>}
      </header>
      {factor.isError && <Failure error={factor.error} retry={() => void factor.refetch()} />}
      {factor.data && (
        <p className="muted">{factor.data.totp ? words.on(factor.data.recovery_codes_left) : words.off}</p>
      )}
      {over === 'set-up' && <SetUpOver close={close} />}
      {over === 'remove' && <Remove close={close} />}
    </section>
  );
}

function SetUpOver({ close }: { close: () => void }): ReactNode {
  const words = useFactorWords();
  const { cancel } = useWords();
  const queries = useQueryClient();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) {
    const kept = () => {
      close();
      void queries.invalidateQueries();
    };
    return (
      <Dialog title={words.recoveryTitle} className="narrow">
        <RecoveryCodes codes={codes} kept={<KeptActions close={kept} />} />
      </Dialog>
    );
  }
  return (
    <Dialog title={words.setUpTitle} close={close} className="narrow" isDirty>
      <SetUp
        done={setCodes}
        actions={(act, busy) => (
          <>
            <Button onClick={close}>{cancel}</Button>
            <Button type="submit" kind="primary" busy={busy}>
              {act}
            </Button>
          </>
        )}
      />
    </Dialog>
  );
}

function Remove({ close }: { close: () => void }): ReactNode {
  const words = useFactorWords();
  const { signIn } = useWords();
  const queries = useQueryClient();
  const { text, asked } = useForm({
    known: () => ({ password: '', code: '' }),
    fields: ['password', 'code'],
    async send(input) {
      await call('removeTotp', input);
      await queries.invalidateQueries();
      close();
    },
  });
  return (
    <Confirm
      title={words.removeTitle}
      description={words.removeHint}
      act={words.removeAct}
      close={close}
      danger
      {...asked}
    >
      <PasswordField label={signIn.password} autoComplete="current-password" autoFocus required {...text('password')} />
      <Field label={words.code} hint={words.codeHint} autoComplete="one-time-code" required {...text('code')} />
    </Confirm>
  );
}
