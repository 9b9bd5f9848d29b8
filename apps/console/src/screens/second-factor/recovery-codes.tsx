import type { ReactNode } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useFactorWords } from './factor-words.ts';

/** The recovery codes, which nobody can look up later; `kept` is the button that ends their page. */
export function RecoveryCodes({ codes, kept }: { codes: readonly string[]; kept: ReactNode }): ReactNode {
  const words = useFactorWords();
  return (
    <>
      <p>{words.recoveryHint}</p>
      <ul className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyButton text={codes.join('\n')} />
      {kept}
    </>
  );
}
