import type { FoundMessageResource } from '@flotilla/contract/message-operations.ts';
import type { ReactNode } from 'react';

type Highlights = FoundMessageResource['highlights'];

type MarkedProps = {
  text: string;
  highlights: Highlights;
  /** How much of the text stands before the first part that was found. */
  lead?: number;
};

/** A text with what the api found in it marked; it begins shortly before the first mark. */
export function Marked({ text, highlights, lead = 40 }: MarkedProps): ReactNode {
  const parts: ReactNode[] = [];
  let shownTo = 0;
  for (const { offset, length } of highlights) {
    parts.push(text.slice(shownTo, offset), <mark key={offset}>{text.slice(offset, offset + length)}</mark>);
    shownTo = offset + length;
  }
  parts.push(text.slice(shownTo));
  const start = highlights[0]?.offset ?? 0;
  if (start > lead) {
    const from = text.indexOf(' ', start - lead) + 1;
    parts[0] = `…${text.slice(from > 0 && from <= start ? from : start, start)}`;
  }
  return <>{parts}</>;
}
