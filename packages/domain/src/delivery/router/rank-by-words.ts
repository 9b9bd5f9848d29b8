import { stemmer as englishStem } from '@orama/stemmers/english';
import { stemmer as frenchStem } from '@orama/stemmers/french';
import { stemmer as germanStem } from '@orama/stemmers/german';
import { stemmer as russianStem } from '@orama/stemmers/russian';
import { stemmer as spanishStem } from '@orama/stemmers/spanish';
import { stopwords as englishStops } from '@orama/stopwords/english';
import { stopwords as frenchStops } from '@orama/stopwords/french';
import { stopwords as germanStops } from '@orama/stopwords/german';
import { stopwords as russianStops } from '@orama/stopwords/russian';
import { stopwords as spanishStops } from '@orama/stopwords/spanish';
import MiniSearch from 'minisearch';
import type { Candidate } from './candidate.ts';

/** `words`: those of the message that the bot's name or description has. */
export type RankedCandidate = { id: number; score: number; words(): string[] };

const STOP_WORDS = new Set([englishStops, frenchStops, germanStops, russianStops, spanishStops].flat());
const LATIN_STEMS = [englishStem, frenchStem, germanStem, spanishStem];
const MANY_WORDS = 100;
/** A search takes time in proportion to how often the candidates use its words. */
const MANY_USES = 20_000;
/** Descriptions of a fleet repeat their words, and a list is indexed anew whenever a bot changes. */
const STEMS_KEPT = 20_000;

/**
 * The candidates that have words of the text in their name or description, best first (BM25+). Words are compared by their
 * stems: of Cyrillic as Russian, of other scripts as English, French, German and Spanish.
 */
export function rankByWords(candidates: readonly Candidate[], text: string): RankedCandidate[] {
  const { index, uses } = indexOf(candidates);
  const words = mostTelling([...new Set(wordsOf(text))].slice(0, MANY_WORDS), uses);
  if (words.length === 0) return [];
  return index.search(words.join(' ')).map(({ id, score, queryTerms }) => ({
    id: id as number,
    score,
    // Of thousands of bots, only those of the best are read.
    words: () => wordsWith(words, new Set(queryTerms)),
  }));
}

/** An index is kept as long as the list of candidates is. */
const indexes = new WeakMap<readonly Candidate[], Index>();

/** `uses`: how often the candidates use a stem. */
type Index = { index: MiniSearch<Candidate>; uses: ReadonlyMap<string, number> };

function indexOf(candidates: readonly Candidate[]): Index {
  const known = indexes.get(candidates);
  if (known !== undefined) return known;
  const uses = new Map<string, number>();
  const index = new MiniSearch<Candidate>({
    fields: ['name', 'description'],
    tokenize: wordsOf,
    processTerm: (word) => {
      const stems = stemsOf(word);
      for (const stem of stems) uses.set(stem, (uses.get(stem) ?? 0) + 1);
      return stems;
    },
    searchOptions: { boost: { name: 2 }, processTerm: stemsOf },
  });
  index.addAll(candidates);
  const made = { index, uses };
  indexes.set(candidates, made);
  return made;
}

/** The words that fewest candidates use, as many as a search may read, in their order. */
function mostTelling(words: string[], uses: Index['uses']): string[] {
  const usesOf = (word: string) => stemsOf(word).reduce((sum, stem) => sum + (uses.get(stem) ?? 0), 0);
  let left = MANY_USES;
  const telling = words
    .map((word) => ({ word, count: usesOf(word) }))
    .sort((one, other) => one.count - other.count)
    .filter(({ count }, place) => {
      left -= count;
      return left >= 0 || place === 0;
    });
  const chosen = new Set(telling.map(({ word }) => word));
  return words.filter((word) => chosen.has(word));
}

function wordsWith(words: string[], stems: ReadonlySet<string>): string[] {
  return words.filter((word) => stemsOf(word).some((stem) => stems.has(stem)));
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Also of scripts without spaces between words. */
function wordsOf(text: string): string[] {
  return [...segmenter.segment(text.normalize('NFKC').toLowerCase())]
    .filter(({ segment, isWordLike }) => isWordLike === true && !STOP_WORDS.has(segment))
    .map(({ segment }) => segment);
}

const keptStems = new Map<string, string[]>();

function stemsOf(word: string): string[] {
  const kept = keptStems.get(word);
  if (kept !== undefined) return kept;
  if (keptStems.size >= STEMS_KEPT) keptStems.clear();
  const stems = stemmed(word);
  keptStems.set(word, stems);
  return stems;
}

function stemmed(word: string): string[] {
  if (/\p{sc=Cyrillic}/u.test(word)) return [russianStem(word)];
  return [...new Set(LATIN_STEMS.map((stem) => stem(word)))];
}
