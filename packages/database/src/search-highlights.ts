import { fold, searchWords } from './search-words.ts';
import type { WordForms } from './word-forms.ts';

/** A part of a text that a search found, in UTF-16 code units. */
export type Highlight = { offset: number; length: number };

/** A page marks no more of a long text. */
const MOST_HIGHLIGHTS = 50;
const CHUNKS_KEPT = 5_000;

/** The text between words; nothing of it folds to a part of a word. */
const CHUNK = /[^\s\p{P}\p{Z}\p{Cc}]+/gu;
/** A character with its marks, the least that can be folded alone. */
const UNIT = /\P{M}[\p{M}\p{Emoji_Modifier}\p{Cf}]*|\p{M}+/gsu;

/** Finds the parts of texts that `q` and the forms of its words match, by the rules of the search. Texts of one page repeat their words. */
export function highlighter(q: string, forms: WordForms = new Map()): (text: string) => Highlight[] {
  const wanted = wantedOf(q, forms);
  const known = new Map<string, Highlight[]>();
  const inChunk = (chunk: string) => {
    const before = known.get(chunk);
    if (before !== undefined) return before;
    const found = highlightsIn(chunk, wanted);
    if (known.size < CHUNKS_KEPT) known.set(chunk, found);
    return found;
  };
  return (text) => {
    const found: Highlight[] = [];
    for (const { 0: chunk, index } of text.matchAll(CHUNK)) {
      for (const { offset, length } of inChunk(chunk)) found.push({ offset: index + offset, length });
      if (found.length >= MOST_HIGHLIGHTS) break;
    }
    return joined(found).slice(0, MOST_HIGHLIGHTS);
  };
}

type Wanted = {
  words: ReadonlySet<string>;
  /** The last word of the query, of which the beginning is enough; null after a stretch without spaces. */
  beginning: string | null;
  /** Stretches of scripts without spaces, which match anywhere in a text. */
  stretches: string[];
};

function wantedOf(q: string, forms: WordForms): Wanted {
  const words = new Set([...forms.values()].flat());
  const stretches: string[] = [];
  const found = searchWords(q);
  for (const { word, run } of found) {
    if (run === null) words.add(word);
    // Each pair adds its second character; the last pair is its character alone.
    else stretches[run] = (stretches[run] ?? '') + [...word][0];
  }
  const last = found.at(-1);
  return { words, beginning: last?.run === null ? last.word : null, stretches };
}

function highlightsIn(chunk: string, wanted: Wanted): Highlight[] {
  const folded = fold(chunk);
  const words = searchWords(chunk);
  const [only] = words;
  if (words.length === 1 && only?.run === null && only.word === folded) {
    return isWanted(only.word, wanted) ? [{ offset: 0, length: chunk.length }] : [];
  }
  const isHere = words.some(({ word, run }) => run === null && isWanted(word, wanted));
  if (!isHere && !wanted.stretches.some((stretch) => folded.includes(stretch))) return [];
  return highlightsByUnit(chunk, wanted);
}

function isWanted(word: string, { words, beginning }: Wanted): boolean {
  return words.has(word) || (beginning !== null && word.startsWith(beginning));
}

/** For a chunk of several words, or without spaces: where each folded character came from. */
function highlightsByUnit(chunk: string, wanted: Wanted): Highlight[] {
  let folded = '';
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: unit, index } of chunk.matchAll(UNIT)) {
    const part = fold(unit);
    for (let at = 0; at < part.length; at += 1) {
      starts.push(index);
      ends.push(index + unit.length);
    }
    folded += part;
  }
  const spans: [number, number][] = [];
  let searchedTo = 0;
  for (const { word, run } of searchWords(folded)) {
    if (run !== null) continue;
    const at = folded.indexOf(word, searchedTo);
    if (at === -1) continue;
    searchedTo = at + word.length;
    if (isWanted(word, wanted)) spans.push([at, searchedTo]);
  }
  for (const stretch of wanted.stretches) {
    for (let at = folded.indexOf(stretch); at !== -1; at = folded.indexOf(stretch, at + stretch.length)) {
      spans.push([at, at + stretch.length]);
    }
  }
  return spans.map(([from, to]) => ({ offset: starts[from]!, length: ends[to - 1]! - starts[from]! }));
}

/** In their order, with those that touch or overlap as one. */
function joined(highlights: Highlight[]): Highlight[] {
  const result: Highlight[] = [];
  for (const { offset, length } of highlights.sort((a, b) => a.offset - b.offset)) {
    const before = result.at(-1);
    if (before === undefined || offset > before.offset + before.length) result.push({ offset, length });
    else before.length = Math.max(before.length, offset + length - before.offset);
  }
  return result;
}
