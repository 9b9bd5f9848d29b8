import type { FoundMessageResource } from '@flotilla/contract/messages.ts';
import type { ReactNode } from 'react';

type Highlights = FoundMessageResource['highlights'];

/** How much of the text stands before the first part that was found. */
const LEAD = 40;

/** A text with what the api found in it marked; it begins shortly before the first mark. */
export function Marked({ text, highlights }: { text: string; highlights: Highlights }): ReactNode {
  const parts: ReactNode[] = [];
  let shownTo = 0;
  for (const { offset, length } of highlights) {
    parts.push(text.slice(shownTo, offset), <mark key={offset}>{text.slice(offset, offset + length)}</mark>);
    shownTo = offset + length;
  }
  parts.push(text.slice(shownTo));
  const start = highlights[0]?.offset ?? 0;
  if (start > LEAD) {
    const from = text.indexOf(' ', start - LEAD) + 1;
    parts[0] = `…${text.slice(from > 0 && from <= start ? from : start, start)}`;
  }
  return <>{parts}</>;
}
