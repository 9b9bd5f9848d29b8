import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { useWords } from '../../words/words.tsx';
import { Welcome } from '../sign-in/sign-in.tsx';
import { useFactorWords } from './factor-words.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SetUp } from './set-up.tsx';
import './second-factor.css';

/** The whole page, until the account has the second factor that it needs. */
export function ForcedFactor({ done, leave }: { done: () => void; leave: () => void }): ReactNode {
  const words = useFactorWords();
  const { account, once } = useWords();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
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
