import type { ReactNode } from 'react';
import { Ago } from '../../parts/time.tsx';
import { useSystemWords } from './system-words.ts';

/** When figures were true. */
export function Taken({ at }: { at: string }): ReactNode {
  const words = useSystemWords();
  return (
    <small className="muted">
      {words.taken} <Ago at={at} />
    </small>
  );
}
