import { hash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { type SearchWord, searchVector, searchWords } from './search-words.ts';

// 2^20 s are 12 days. Shorter periods mean more look-ups for a rare word, longer ones more rows for a common word.
const PERIOD_BITS = 20;
const PREFIX_CHARACTERS = 6;
// Placeholder for the lexeme prefix in a template; no word contains it.
const PREFIX_MARK = '#';

/** The length of a period. */
export const PERIOD_S = 2 ** PERIOD_BITS;

/** A search as templates of a tsquery for `tsqueryIn`: all its words, and the same in two parts. */
export interface SearchQuery {
  all: string;
  /** The last word, as a prefix. */
  last: string;
  /** The words before it; null when there are none. */
  others: string | null;
}

/**
 * The value of a message's `search` column, as the text of a tsvector. Each lexeme begins with a digest of the chat and
 * of a period, so that looking up a word or a prefix reads only the postings of that chat and period.
 */
export function searchColumn(message: {
  bot_id: number;
  chat_id: number;
  date: number;
  text: string | null;
}): string | null {
  if (message.text === null) return null;
  const period = Math.floor(message.date / PERIOD_S);
  return searchVector(digestPrefix(`${message.bot_id} ${message.chat_id} ${period}`), message.text);
}

/** A batch has the chats of the one before, and a digest costs more than all else about a word. */
const PREFIXES_KEPT = 2_000;
const prefixes = new Map<string, string>();

function digestPrefix(named: string): string {
  const known = prefixes.get(named);
  if (known !== undefined) return known;
  const prefix = hash('sha256', named, 'base64').slice(0, PREFIX_CHARACTERS);
  if (prefixes.size >= PREFIXES_KEPT) prefixes.clear();
  prefixes.set(named, prefix);
  return prefix;
}

/** All words of `q`, the last one as a prefix; null when it has no word. */
export function searchQuery(q: string): SearchQuery | null {
  const operands = operandsOf(searchWords(q));
  const last = operands.pop();
  if (last === undefined) return null;
  // A pair of characters matches whatever follows it, so it needs no prefix search.
  const prefix = last.includes(':*') || last.includes('<->') ? last : `${last}:*`;
  const others = operands.length === 0 ? null : operands.join(' & ');
  return { all: others === null ? prefix : `${others} & ${prefix}`, last: prefix, others };
}

/** The period of a date column, as SQL. */
export function periodOf(date: RawBuilder<unknown>): RawBuilder<number> {
  return sql`(${date} >> ${sql.lit(PERIOD_BITS)})`;
}

/** The first second of a period, as SQL. */
export function startOfPeriod(period: RawBuilder<unknown>): RawBuilder<number> {
  return sql`(${period} << ${sql.lit(PERIOD_BITS)})`;
}

/** A template as the tsquery for one period of a chat, as SQL. It must name lexemes as `searchColumn` does. */
export function tsqueryIn(
  chat: { botId: number; chatId: number },
  period: RawBuilder<unknown>,
  template: string,
): RawBuilder<unknown> {
  const named = sql`${`${chat.botId} ${chat.chatId} `}::text || ${period}`;
  const digest = sql`encode(sha256(convert_to(${named}, 'UTF8')), 'base64')`;
  const prefix = sql`left(${digest}, ${sql.lit(PREFIX_CHARACTERS)})`;
  return sql`replace(${template}::text, ${sql.lit(PREFIX_MARK)}, ${prefix})::tsquery`;
}

function operandsOf(words: SearchWord[]): string[] {
  const operands: string[] = [];
  for (let at = 0; at < words.length; ) {
    const { run } = words[at] as SearchWord;
    const end = run === null ? at + 1 : words.findLastIndex((word) => word.run === run) + 1;
    operands.push(run === null ? lexeme(words[at]) : stretch(words.slice(at, end)));
    at = end;
  }
  return [...operands.slice(0, -1).filter((word, at, before) => before.indexOf(word) === at), ...operands.slice(-1)];
}

// The last character alone is left out, because in a longer text it is only a part of pairs. A query of a single
// character finds it as the beginning of a pair.
function stretch(words: SearchWord[]): string {
  if (words.length === 1) return `${lexeme(words[0])}:*`;
  const pairs = words.slice(0, -1).map(lexeme);
  return pairs.length === 1 ? (pairs[0] as string) : `(${pairs.join(' <-> ')})`;
}

function lexeme(word: SearchWord | undefined): string {
  return `'${PREFIX_MARK}${word?.word ?? ''}'`;
}
