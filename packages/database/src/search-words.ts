import { streamSafe } from '@flotilla/runtime/stream-safe.ts';
/** A searchable word. `run` numbers the unspaced stretch that a pair of characters comes from. */
export type SearchWord = { word: string; run: number | null };

const LONGEST_WORD = 64;
// The last position that a tsvector can hold.
const LAST_POSITION = 16_383;

// Diacritics, Hebrew points, Arabic vowel signs and tatweel, variation selectors, skin tones, invisible characters.
// Marks of other scripts are vowels, which make a different word, so they stay.
const IGNORED = new RegExp(
  [
    '[\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f]',
    '[\\u0591-\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06ed]',
    '[\\ufe00-\\ufe0f\\p{Emoji_Modifier}\\p{Cf}]',
  ].join('|'),
  'gu',
);
// Separate letters, although Unicode writes them as a letter with a breve.
const KEPT_BREVE = /([иуИУ])\u0306/gu;
const KEPT_BREVE_MARK = '\ue000';

// Letters that people consider equal although Unicode does not decompose them.
const SAME_LETTER: Record<string, string> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ' },
  ...{ ى: 'ي', ی: 'ي', ک: 'ك', ة: 'ه' },
};
const SAME_LETTERS = new RegExp(`[${Object.keys(SAME_LETTER).join('')}]`, 'gu');

const ASCII = /^\p{ASCII}*$/u;

/** WORD_OR_SIGN for such text: three times as fast. */
const ASCII_WORD_OR_SIGN = /[a-z0-9]+|\$/g;

const UNSPACED =
  '[[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]&&[\\p{L}\\p{M}\\p{N}]]';
const WORD_OR_SIGN = new RegExp(
  `(?<unspaced>${UNSPACED}+)|[[\\p{L}\\p{M}\\p{N}]--${UNSPACED}]+|\\p{Regional_Indicator}{2}|[\\p{Extended_Pictographic}\\p{So}\\p{Sc}]`,
  'gv',
);

/**
 * The words of a text, in any script. Case, accents and invisible characters are removed; an emoji or a sign is a word.
 * Scripts without spaces give overlapping pairs of characters (and the last one alone), so that any part is found.
 */
export function searchWords(text: string): SearchWord[] {
  const words: SearchWord[] = [];
  let runs = 0;
  for (const { 0: found, groups } of fold(text).matchAll(WORD_OR_SIGN)) {
    if (groups?.unspaced === undefined) {
      words.push({ word: cut(found), run: null });
      continue;
    }
    const characters = [...found];
    for (const [at, character] of characters.entries()) {
      words.push({ word: character + (characters[at + 1] ?? ''), run: runs });
    }
    runs += 1;
  }
  return words;
}

/**
 * The words of a text as the text of a tsvector, each after every prefix, and `alone` as a lexeme of its own; null when there is
 * no word.
 */
export function searchVector(prefixes: readonly string[], text: string | null, alone: string): string | null {
  if (text === null || text === '') return null;
  const lexemes = new Set<string>();
  if (ASCII.test(text)) {
    for (const word of text.toLowerCase().match(ASCII_WORD_OR_SIGN) ?? []) lexemes.add(cut(word));
    if (lexemes.size === 0) return null;
    const words = [...lexemes];
    return prefixes.reduce((before, prefix) => `${before} '${prefix}${words.join(`' '${prefix}`)}'`, `'${alone}'`);
  }
  for (const [position, { word, run }] of searchWords(text).entries()) {
    // Only pairs need positions. A gap after each stretch keeps a phrase from continuing in the next stretch.
    const place = run === null ? '' : `:${Math.min(position + run + 1, LAST_POSITION)}`;
    for (const prefix of prefixes) lexemes.add(`'${prefix}${word}'${place}`);
  }
  return lexemes.size === 0 ? null : [`'${alone}'`, ...lexemes].join(' ');
}

/** A text without case, accents and invisible characters. */
export function fold(text: string): string {
  // Much text is ASCII only and needs none of this.
  if (ASCII.test(text)) return text.toLowerCase();
  return (
    streamSafe(text)
      .normalize('NFKD')
      .replace(KEPT_BREVE, `$1${KEPT_BREVE_MARK}`)
      .replace(IGNORED, '')
      .replaceAll(KEPT_BREVE_MARK, '\u0306')
      .normalize('NFC')
      // Upper case first, then lower case, so that ß equals ss and ı equals i.
      .toUpperCase()
      .toLowerCase()
      .replace(SAME_LETTERS, (letter) => SAME_LETTER[letter] ?? letter)
  );
}

function cut(word: string): string {
  return word.length <= LONGEST_WORD ? word : [...word].slice(0, LONGEST_WORD).join('');
}
