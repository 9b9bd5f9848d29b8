import type { ReactNode } from 'react';
import { StateMark } from '../../parts/state-badge.tsx';
import { useWords } from '../../words/words.tsx';
import type { Attempt } from './see-attempt.ts';

/** The end of an attempt that somebody asked for; null: none came. */
export function AttemptOutcome({ attempt }: { attempt: Attempt | null }): ReactNode {
  const { bot: words } = useWords();
  if (attempt === null) {
    return (
      <span role="status" className="muted">
        {words.readers.notTried}
      </span>
    );
  }
  const look = attempt.ok ? 'ok' : 'open';
  return (
    <span role="status" className={`state ${look}`} title={attempt.error}>
      <StateMark state={look} />
      {attempt.ok ? words.readers.delivered : words.readers.failedAgain(attempt.status)}
    </span>
  );
}
