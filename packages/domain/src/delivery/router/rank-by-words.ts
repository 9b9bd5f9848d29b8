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
export type RankedCandidate = { id: number; score: number; words: string[] };

const STOP_WORDS = new Set([englishStops, frenchStops, germanStops, russianStops, spanishStops].flat());
const LATIN_STEMS = [englishStem, frenchStem, germanStem, spanishStem];
const MANY_WORDS = 200;

/**
 * The candidates that have words of the text in their name or description, best first (BM25+). Words are compared by their
 * stems: of Cyrillic as Russian, of other scripts as English, French, German and Spanish.
 */
export function rankByWords(candidates: readonly Candidate[], text: string): RankedCandidate[] {
  const words = wordsOf(text).slice(0, MANY_WORDS);
  if (words.length === 0) return [];
  return indexOf(candidates)
    .search(words.join(' '))
    .map(({ id, score, queryTerms }) => ({ id: id as number, score, words: wordsWith(words, new Set(queryTerms)) }));
}

/** An index is kept as long as the list of candidates is. */
const indexes = new WeakMap<readonly Candidate[], MiniSearch<Candidate>>();

function indexOf(candidates: readonly Candidate[]): MiniSearch<Candidate> {
  const known = indexes.get(candidates);
  if (known !== undefined) return known;
  const index = new MiniSearch<Candidate>({
    fields: ['name', 'description'],
    tokenize: wordsOf,
    processTerm: stemsOf,
    searchOptions: { boost: { name: 2 } },
  });
  index.addAll(candidates);
  indexes.set(candidates, index);
  return index;
}

function wordsWith(words: string[], stems: ReadonlySet<string>): string[] {
  return [...new Set(words)].filter((word) => stemsOf(word).some((stem) => stems.has(stem)));
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Also of scripts without spaces between words. */
function wordsOf(text: string): string[] {
  return [...segmenter.segment(text.normalize('NFKC').toLowerCase())]
    .filter(({ segment, isWordLike }) => isWordLike === true && !STOP_WORDS.has(segment))
    .map(({ segment }) => segment);
}

function stemsOf(word: string): string[] {
  if (/\p{sc=Cyrillic}/u.test(word)) return [russianStem(word)];
  return [...new Set(LATIN_STEMS.map((stem) => stem(word)))];
}
