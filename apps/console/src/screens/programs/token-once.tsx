import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReactNode } from 'react';
import { Secret } from '../../parts/shown-once.tsx';
import { useWords } from '../../words/words.tsx';
import { ProgramTabs } from '../add-bot/program-tabs.tsx';
import { useProgramsWords } from './programs-words.ts';

/** A new token, and where to put it. It is in this part of the page only. */
export function TokenOnce({ program, token }: { program: ProgramResource; token: string }): ReactNode {
  const words = useProgramsWords().once;
  const { once } = useWords();
  return (
    <div className="token-once">
      <p>
        <strong>{once.hint}</strong>
      </p>
      <Secret text={token} copyLabel={words.copy} />
      <p>{words.place}</p>
      <ProgramTabs polls={program.mode === 'pull'} token={token} />
      <p className="hint">{words[program.mode]}</p>
    </div>
  );
}
