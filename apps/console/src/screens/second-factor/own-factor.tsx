import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { hasPasskeys } from '../../parts/passkey.ts';
import { KeptActions } from '../../parts/shown-once.tsx';
import { useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { useFactorWords } from './factor-words.ts';
import { AddPasskey, Passkeys } from './passkeys.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { RemoveFactor } from './remove-factor.tsx';
import { SetUp } from './set-up.tsx';
import './second-factor.css';

/** Shows, adds and removes the second factors of one's own account. */
export function OwnFactor(): ReactNode {
  const words = useFactorWords();
  const { username } = useSession().account;
  const [over, setOver] = useState<'set-up' | 'remove' | 'passkey' | null>(null);
  const factor = useQuery({
    queryKey: ['second-factor'],
    queryFn: ({ signal }) => call('showSecondFactor', {}, signal),
  });
  const close = () => setOver(null);
  const { totp, passkeys = [], passkeys_possible: isPossible = false } = factor.data ?? {};
  const isOn = totp === true || passkeys.length > 0;
  return (
    <section className="panel" aria-labelledby="second-factor">
      <header className="panel-head">
        <h2 id="second-factor">{words.title}</h2>
        {isPossible && hasPasskeys() && <Button onClick={() => setOver('passkey')}>{words.addPasskey}</Button>}
        {totp === false && <Button onClick={() => setOver('set-up')}>{words.setUp}</Button>}
        {totp === true && <Button onClick={() => setOver('remove')}>{words.removeApp}</Button>}
      </header>
      {factor.isError && <Failure error={factor.error} retry={() => void factor.refetch()} />}
      {factor.data && <p className="muted">{isOn ? words.on(factor.data.recovery_codes_left) : words.off}</p>}
      {passkeys.length > 0 && <Passkeys passkeys={passkeys} username={username} />}
      {over === 'set-up' && <ThenCodes close={close} form={(done) => <SetUpOver close={close} done={done} />} />}
      {over === 'passkey' && <ThenCodes close={close} form={(done) => <AddPasskey close={close} done={done} />} />}
      {over === 'remove' && (
        <RemoveFactor
          title={words.removeTitle}
          username={username}
          mayProve={passkeys.length > 0}
          send={(proof) => call('removeTotp', proof)}
          close={close}
        />
      )}
    </section>
  );
}

type Done = (recoveryCodes: readonly string[]) => void;

/** Shows recovery codes that the form brought, before all ends. */
function ThenCodes({ close, form }: { close: () => void; form: (done: Done) => ReactNode }): ReactNode {
  const words = useFactorWords();
  const queries = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const end = () => {
    close();
    void queries.invalidateQueries();
  };
  if (codes.length === 0) return form((made) => (made.length === 0 ? end() : setCodes(made)));
  return (
    <Dialog title={words.recoveryTitle} className="narrow">
      <RecoveryCodes codes={codes} kept={<KeptActions close={end} />} />
    </Dialog>
  );
}

function SetUpOver({ close, done }: { close: () => void; done: Done }): ReactNode {
  const words = useFactorWords();
  const { cancel } = useWords();
  return (
    <Dialog title={words.setUpTitle} close={close} className="narrow" isDirty>
      <SetUp
        done={done}
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
