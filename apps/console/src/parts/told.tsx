import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { useMomentText } from './time.tsx';

const MOMENT = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g;

/** A sentence of the api about what happened or is wrong, in the language of the page where it is known, and with its times. */
export function Told({ text, className }: { text: string; className?: string }): ReactNode {
  return <bdi className={className}>{useTold()(text)}</bdi>;
}

/** The same as a text. */
export function useTold(): (text: string) => string {
  const { told } = useWords();
  const momentOf = useMomentText();
  return (text) => told(text).replace(MOMENT, momentOf);
}
