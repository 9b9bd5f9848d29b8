import type { ReactNode } from 'react';
import { useWords } from '../../words/words.tsx';

/** The ids of several connections differ at their end. */
const SHOWN_CHARACTERS = 6;

/** Tells the conversation of a business connection from those of others with the same person. */
export function BusinessMark({ connection }: { connection: string }): ReactNode {
  const { inbox: words } = useWords();
  return (
    <span className="business-mark" title={words.businessOf(connection)}>
      {words.business(connection.slice(-SHOWN_CHARACTERS))}
    </span>
  );
}
