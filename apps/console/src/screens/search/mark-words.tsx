import type { ReactNode } from 'react';

const WORD = /[\p{L}\p{N}_]+/gu;
const MARKS = /\p{M}/gu;
/** How much of the text stands before the first word that was found. */
const LEAD = 40;

/** The text with the words that were looked for marked, as the api finds them: of the last word the beginning is enough. */
export function Marked({ text, q }: { text: string; q: string }): ReactNode {
  const wanted = (q.match(WORD) ?? []).map(fold);
  const parts: ReactNode[] = [];
  let shownTo = 0;
  let start: number | null = null;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!isWanted(fold(word), wanted)) continue;
    start ??= index;
    parts.push(text.slice(shownTo, index), <mark key={index}>{word}</mark>);
    shownTo = index + word.length;
  }
  parts.push(text.slice(shownTo));
  if (start !== null && start > LEAD) {
    const from = text.indexOf(' ', start - LEAD) + 1;
    parts[0] = `…${text.slice(from > 0 && from <= start ? from : start, start)}`;
  }
  return <>{parts}</>;
}

function isWanted(word: string, wanted: readonly string[]): boolean {
  const beginning = wanted.at(-1);
  return wanted.includes(word) || (beginning !== undefined && word.startsWith(beginning));
}

/** Neither case nor accents matter. */
function fold(word: string): string {
  return word.normalize('NFKD').replace(MARKS, '').toLowerCase();
}
