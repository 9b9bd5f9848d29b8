import type { ReactNode } from 'react';
import { Stamp } from '../../parts/time.tsx';
import { useSystemWords } from './system-words.ts';

/** When figures were true. */
export function Taken({ at }: { at: string }): ReactNode {
  const words = useSystemWords();
  return (
    <small className="muted">
      <Stamp at={at} word={words.taken} />
    </small>
  );
}
