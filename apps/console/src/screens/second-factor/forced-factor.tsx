import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { hasPasskeys } from '../../parts/passkey.ts';
import { useWords } from '../../words/words.tsx';
import { Welcome } from '../sign-in/sign-in.tsx';
import { useFactorWords } from './factor-words.ts';
import { AddPasskey } from './passkeys.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SetUp } from './set-up.tsx';
import './second-factor.css';

/** The whole page, until the account has the second factor that it needs. */
export function ForcedFactor({ done, leave }: { done: () => void; leave: () => void }): ReactNode {
  const words = useFactorWords();
  const { account, once } = useWords();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [isAdding, setAdding] = useState(false);
  const factor = useQuery({
    queryKey: ['second-factor'],
    queryFn: ({ signal }) => call('showSecondFactor', {}, signal),
  });
  return (
    <Welcome title={codes === null ? words.setUpTitle : words.recoveryTitle}>
      {codes === null ? (
        <>
          <p className="muted">{words.forced}</p>
          <SetUp
            done={setCodes}
            actions={(act, busy) => (
              <>
                <Button onClick={leave}>{account.signOut}</Button>
                <Button type="submit" kind="primary" busy={busy}>
                  {act}
                </Button>
              </>
            )}
          />
          {factor.data?.passkeys_possible && hasPasskeys() && (
            <Button kind="quiet" onClick={() => setAdding(true)}>
              {words.passkeyInstead}
            </Button>
          )}
          {isAdding && <AddPasskey close={() => setAdding(false)} done={setCodes} />}
        </>
      ) : (
        <RecoveryCodes
          codes={codes}
          kept={
            // The page is above the router, which would ask before it is left.
            <Button kind="primary" onClick={done}>
              {once.kept}
            </Button>
          }
        />
      )}
    </Welcome>
  );
}
