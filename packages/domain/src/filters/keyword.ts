/** Words consist of letters, digits, marks and joiners. The scripts below have no spaces between words. */
const WORD = /[\p{L}\p{N}\p{M}\p{Pc}]/u;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export type FoldedText = { readonly folded: string };

/**
 * Whether a text contains a word or phrase, in any case and with any white space between the words of a phrase. Its
 * time grows with the text only, whatever the keyword is.
 */
export function hasKeyword(text: string, keyword: string): boolean {
  return hasFoldedKeyword(foldText(text), keyword);
}

/** The same in a text that was prepared once for many keywords. */
export function hasFoldedKeyword({ folded: searched }: FoldedText, keyword: string): boolean {
  const wanted = fold(keyword).trim();
  if (wanted === '') return false;
  for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (isBoundary(before(searched, at), wanted) && isBoundary(lastOf(wanted), searched.slice(end, end + 2)))
      return true;
  }
  return false;
}

export function foldText(text: string): FoldedText {
  return { folded: fold(text) };
}

// Upper case first, because it unifies letters that lower case keeps apart, such as ß and ss or the two small sigmas.
function fold(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').replace(/\s+/gu, ' ');
}

/** Whether a word may end between these two texts. Only the characters next to the gap count. */
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
