import type { ReactNode } from 'react';
import { StateMark } from '../../parts/state-badge.tsx';
import { Decided } from './decisions.tsx';
import { useRulesWords } from './rules-words.ts';
import type { Tried } from './try-message.tsx';

/** Tells if a rule would act on the tried message, and if not, why. */
export function Verdict({ tried }: { tried: Tried[number] }): ReactNode {
  const words = useRulesWords();
  return (
    <p className={tried.matches ? 'verdict good' : 'verdict'}>
      <StateMark state={tried.matches ? 'ok' : 'disabled'} />
      {tried.matches ? words.try.matches : words.noMatch[tried.reason ?? 'condition']}
      {tried.decision && <Decided decision={tried.decision} />}
    </p>
  );
}
