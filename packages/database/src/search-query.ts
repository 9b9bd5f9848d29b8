import { hash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { type SearchWord, searchVector, searchWords } from './search-words.ts';
import type { WordForms } from './word-forms.ts';

// 2^20 s are 12 days, 2^17 s are 36 hours. Shorter periods mean more look-ups for a rare word, longer ones more rows for
// a common word. All bots together write more than one of them.
const BOT_PERIOD_BITS = 20;
const FLEET_PERIOD_BITS = 17;
const BOT_CHARACTERS = 4;
const CHAT_CHARACTERS = 6;
// No word and no digest begins with these.
const FLEET_MARK = '-';
const CHAT_MARK = '=';
const PERSON_MARK = '=';
/** The periods of 96 days are told apart, and a partition is a month. */
const FLEET_PERIODS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
// Placeholder for the lexeme prefix in a template; no word contains it.
const PREFIX_MARK = '#';

/** A search as templates of a tsquery: all its words, and the same in two parts. */
export interface SearchQuery {
  all: string;
  /** The last word, as a prefix. */
  last: string;
  /** The words before it; null when there are none. */
  others: string | null;
  /** The same for looking up, where many forms of a word cost more than all that begins like them; null: it is the same. */
  wide: Pick<SearchQuery, 'all' | 'last' | 'others'> | null;
}

/** Which lexemes are looked up: those of some chats of a bot, of some bots, or of all bots together. */
export type Lexemes = { botId: number; chatIds: readonly number[] } | { botIds: readonly number[] } | 'fleet';

/**
 * The value of a message's `search` column, as the text of a tsvector. Each word is there twice: after a digest of the bot
 * and of a period, so that looking it up reads only the postings of that bot, and after a period of the whole fleet. A
 * lexeme of its own stands for the chat.
 */
export function searchColumn(message: {
  bot_id: number;
  chat_id: number;
  date: number;
  text: string | null;
}): string | null {
  if (message.text === null) return null;
  const { bot_id, chat_id, date } = message;
  const period = periodAt(date, BOT_PERIOD_BITS);
  const prefixes = [botPrefix(bot_id, period), fleetPrefix(periodAt(date, FLEET_PERIOD_BITS))];
  return searchVector(prefixes, message.text, chatLexeme(bot_id, chat_id, period));
}

/** A person in a chat, as the text of a tsvector: the words of the names, for their bot and for the whole fleet. */
export function peopleColumn(person: {
  bot_id: number;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
}): string | null {
  const names = [person.username, person.first_name, person.last_name].filter(Boolean).join(' ');
  return searchVector([digest(`${person.bot_id}`).slice(0, BOT_CHARACTERS), FLEET_MARK], names, PERSON_MARK);
}

/** The texts of the tsqueries for people whose names begin with all words of `q`; none when it has no word. */
export function peopleQueries(bots: 'all' | readonly number[], q: string): string[] {
  const words = [...new Set(operandsOf(searchWords(q)))];
  if (words.length === 0) return [];
  const template = words.map((word) => (/:\*|<->/.test(word) ? word : `${word}:*`)).join(' & ');
  const prefixes = bots === 'all' ? [FLEET_MARK] : bots.map((botId) => digest(`${botId}`).slice(0, BOT_CHARACTERS));
  return prefixes.map((prefix) => template.replaceAll(PREFIX_MARK, () => prefix));
}

/** All words of `q`, each in any of its forms, the last one also as a prefix; null when it has no word. */
export function searchQuery(q: string, forms: WordForms = new Map()): SearchQuery | null {
  const operands = operandsOf(searchWords(q));
  const last = operands.pop();
  if (last === undefined) return null;
  // A pair of characters matches whatever follows it, so it needs no prefix search.
  const prefix = last.includes(':*') || last.includes('<->') ? last : `${last}:*`;
  const isPlain = [...operands, last].every((operand) => formsOf(operand, forms).length === 0);
  const exact = joined(
    operands.map((operand) => oneOf(operand, operand, forms)),
    oneOf(last, prefix, forms),
  );
  if (isPlain) return { ...exact, wide: null };
  const wide = joined(
    operands.map((operand) => beginning(operand, operand, forms)),
    beginning(last, prefix, forms),
  );
  return { ...exact, wide };
}

function joined(before: string[], last: string): Pick<SearchQuery, 'all' | 'last' | 'others'> {
  const others = before.length === 0 ? null : before.join(' & ');
  return { all: others === null ? last : `${others} & ${last}`, last, others };
}

/** The forms of an operand that is a word; a stretch has none. */
function formsOf(operand: string, forms: WordForms): readonly string[] {
  return forms.get(operand.slice(1 + PREFIX_MARK.length, -1)) ?? [];
}

function oneOf(operand: string, asked: string, forms: WordForms): string {
  const others = formsOf(operand, forms).map((word) => lexeme({ word, run: null }));
  return others.length === 0 ? asked : `(${[asked, ...others].join(' | ')})`;
}

/** All that begins as the word and its forms do. */
function beginning(operand: string, asked: string, forms: WordForms): string {
  const others = formsOf(operand, forms);
  if (others.length === 0) return asked;
  let common = operand.slice(1 + PREFIX_MARK.length, -1);
  while (!others.every((form) => form.startsWith(common))) common = common.slice(0, -1);
  return `${lexeme({ word: common, run: null })}:*`;
}

/** The period of a date column by which `tsqueryOf` finds a row's lexemes, as SQL. */
export function periodOf(date: RawBuilder<unknown>): RawBuilder<number> {
  return sql`(${date} >> ${sql.lit(FLEET_PERIOD_BITS)})`;
}

/** A template as the tsquery for rows of one period, whatever their bot, as SQL. */
export function tsqueryOf(period: RawBuilder<unknown>, template: string): RawBuilder<unknown> {
  const last = sql.lit(FLEET_PERIODS.length - 1);
  const prefix = sql`${sql.lit(FLEET_MARK)} || substr(${sql.lit(FLEET_PERIODS)}, (${period} & ${last})::int + 1, 1)`;
  return sql`replace(${template}::text, ${sql.lit(PREFIX_MARK)}, ${prefix})::tsquery`;
}

/** The length of a period in seconds. */
export function periodSeconds(lexemes: Lexemes): number {
  return 2 ** periodBits(lexemes);
}

/** A template as the text of the tsquery for all periods from `fromS` to before `untilS`. */
export function tsqueryFor(lexemes: Lexemes, fromS: number, untilS: number, template: string): string {
  const bits = periodBits(lexemes);
  const parts: string[] = [];
  for (let period = periodAt(fromS, bits); period * 2 ** bits < untilS; period += 1) {
    for (const [prefix, chats] of prefixesIn(lexemes, period)) {
      const words = template.replaceAll(PREFIX_MARK, () => prefix);
      parts.push(chats === null ? `(${words})` : `(${words} & (${chats}))`);
    }
  }
  return parts.join(' | ');
}

function prefixesIn(lexemes: Lexemes, period: number): [prefix: string, chats: string | null][] {
  if (lexemes === 'fleet') return [[fleetPrefix(period), null]];
  if ('botIds' in lexemes) return lexemes.botIds.map((botId) => [botPrefix(botId, period), null]);
  const { botId, chatIds } = lexemes;
  const chats = chatIds.map((chatId) => `'${chatLexeme(botId, chatId, period)}'`).join(' | ');
  return [[botPrefix(botId, period), chats]];
}

function periodBits(lexemes: Lexemes): number {
  return lexemes === 'fleet' ? FLEET_PERIOD_BITS : BOT_PERIOD_BITS;
}

function periodAt(dateS: number, bits: number): number {
  return Math.floor(dateS / 2 ** bits);
}

function fleetPrefix(period: number): string {
  return FLEET_MARK + FLEET_PERIODS[period & (FLEET_PERIODS.length - 1)]!;
}

function botPrefix(botId: number, period: number): string {
  return digest(`${botId} ${period}`).slice(0, BOT_CHARACTERS);
}

function chatLexeme(botId: number, chatId: number, period: number): string {
  return CHAT_MARK + digest(`${botId} ${chatId} ${period}`).slice(0, CHAT_CHARACTERS);
}

/** A batch has the chats of the one before, and a digest costs more than all else about a word. */
const DIGESTS_KEPT = 4_000;
const digests = new Map<string, string>();

function digest(named: string): string {
  const known = digests.get(named);
  if (known !== undefined) return known;
  const made = hash('sha256', named, 'base64');
  if (digests.size >= DIGESTS_KEPT) digests.clear();
  digests.set(named, made);
  return made;
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
