import type { ReactNode } from 'react';
import { Ago } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';

/** When figures were true. */
export function Taken({ at }: { at: string }): ReactNode {
  const { system: words } = useWords();
  return (
    <small className="muted">
      {words.taken} <Ago at={at} />
    </small>
  );
}
