import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReactNode } from 'react';
import { Secret } from '../../parts/shown-once.tsx';
import { useApiRoot } from '../../parts/use-api-root.ts';
import { useWords } from '../../words/words.tsx';
import { LibraryLines, Line } from '../add-bot/library-lines.tsx';
import { useProgramsWords } from './programs-words.ts';

/** A new token, and where to put it. It is in this part of the page only. */
export function TokenOnce({ program, token }: { program: ProgramResource; token: string }): ReactNode {
  const words = useProgramsWords().once;
  const { once } = useWords();
  const apiRoot = useApiRoot();
  return (
    <div className="token-once">
      <p>
        <strong>{once.hint}</strong>
      </p>
      <Secret text={token} copyLabel={words.copy} />
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
