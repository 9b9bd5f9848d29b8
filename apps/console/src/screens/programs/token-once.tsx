import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReactNode } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useApiRoot } from '../../parts/use-api-root.ts';
import { LibraryLines, Line } from '../add-bot/library-lines.tsx';
import { useProgramsWords } from './programs-words.ts';

/** A new token, and where to put it. It is in this part of the page only. */
export function TokenOnce({ program, token }: { program: ProgramResource; token: string }): ReactNode {
  const words = useProgramsWords().once;
  const apiRoot = useApiRoot();
  return (
    <div className="token-once">
      <p>
        <strong>{words.hint}</strong>
      </p>
      <div className="secret-line">
        <code className="secret">{token}</code>
        <CopyButton text={token} label={words.copy} />
      </div>
      <p>{words.place}</p>
      <LibraryLines />
      <p>{words.n8nHint}</p>
      {apiRoot && (
        <ul className="lines">
          <Line name={words.n8n} text={apiRoot} copyName={words.n8nCopy} />
        </ul>
      )}
      <p className="hint">{words[program.mode]}</p>
    </div>
  );
}
