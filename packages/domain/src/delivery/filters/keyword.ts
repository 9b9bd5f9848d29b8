import { streamSafe } from '@flotilla/runtime/stream-safe.ts';

/** Words consist of letters, digits, marks and joiners. The scripts below have no spaces between words. */
const WORD = /[\p{L}\p{N}\p{M}\p{Pc}]/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const GAP = 1;
const NO_GAP = 2;

export type FoldedText = {
  readonly folded: string;
  /** True if a word may end before the character at this place. */
  isGap(at: number): boolean;
};

/**
 * True if a text, prepared once for many keywords, contains a word or phrase, in any case and with any white space between the
 * words of a phrase. Its time grows with the text only, whatever the keyword is.
 */
export function hasFoldedKeyword({ folded: searched, isGap }: FoldedText, keyword: string): boolean {
  const wanted = fold(keyword).trim();
  if (wanted === '') return false;
  for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, at + 1)) {
    if (isGap(at) && isGap(at + wanted.length)) return true;
  }
  return false;
}

export function foldText(text: string): FoldedText {
  const folded = fold(text);
  return { folded, isGap: gapsOf(folded) };
}

/** Each place is looked at once: a hostile text has every keyword at thousands of places. */
function gapsOf(text: string): (at: number) => boolean {
  let known: Uint8Array | null = null;
  return (at) => {
    known ??= new Uint8Array(text.length + 1);
    if (known[at] === 0) known[at] = isBoundary(before(text, at), text.slice(at, at + 2)) ? GAP : NO_GAP;
    return known[at] === GAP;
  };
}

// Upper case first, because it unifies letters that lower case keeps apart, such as ß and ss or the two small sigmas.
function fold(text: string): string {
  return streamSafe(text).normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').replace(/\s+/gu, ' ');
}

/** True if a word may end between these two texts. Only the characters next to the gap count. */
function isBoundary(left: string, right: string): boolean {
  const [first = ''] = right;
  if (!WORD.test(left) || !WORD.test(first)) return true;
  return UNSPACED.test(left) || UNSPACED.test(first);
}

function before(text: string, at: number): string {
  return lastOf(text.slice(Math.max(0, at - 2), at));
}

function lastOf(text: string): string {
  return [...text].at(-1) ?? '';
}
