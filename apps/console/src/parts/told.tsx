import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';

/** A sentence of the api about what happened or is wrong, in the language of the page where it is known. */
export function Told({ text, className }: { text: string; className?: string }): ReactNode {
  const { told } = useWords();
  return <bdi className={className}>{told(text)}</bdi>;
}
