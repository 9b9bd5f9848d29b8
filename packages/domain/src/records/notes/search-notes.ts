import type { NoteRow } from '@flotilla/contract/notes.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { fold, searchWords } from '@flotilla/database/search-words.ts';
import { untilAborted } from '@flotilla/database/until-aborted.ts';
import type { WordForms } from '@flotilla/database/word-forms.ts';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Conversation } from '../chats/conversation.ts';
import { AUTHOR_NAME, type Note } from './note-store.ts';

/** Chats of a bot, bots, or all. */
type NoteScope = 'fleet' | { botIds: readonly number[] } | { botId: number; chatIds: readonly number[] };

/** The position of a note among messages: date (s), id, bot, chat, business connection. */
type NotePosition = readonly [date: number, id: number, botId: number, chatId: number, connection: string];

export interface NoteSearch {
  scope: NoteScope;
  q: string;
  forms: WordForms;
  business_connection_id?: string | undefined;
  fromS?: number | undefined;
  toS?: number | undefined;
  before: NotePosition | null;
  limit: number;
}

export type FoundNotes = { notes: Note[] /** At most 1,000 are counted. */; total: number };

const COUNTED = 1_000;
/** Below the ids of messages, so that a note and a message never have the same position. */
const BELOW_MESSAGES = 2 ** 51;
/** The scripts whose words Postgres tells apart as the search does. */
const PLAIN_WORD = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Nd}]+$/u;

const WORDS = sql`to_tsvector('simple'::regconfig, regexp_replace(search_text, '[^[:alnum:]]+', ' ', 'g'))`;
const DATE_S = sql`floor(extract(epoch from created_at))::bigint`;
const PLACE = sql`id - ${sql.lit(BELOW_MESSAGES)}::bigint`;

export function positionOfNote({ id, created_at, bot_id, chat_id, business_connection_id }: PlacedNote): NotePosition {
  return [Math.floor(created_at.getTime() / 1000), id - BELOW_MESSAGES, bot_id, chat_id, business_connection_id];
}

type PlacedNote = Pick<Note, 'id' | 'created_at'> & Conversation;

/** The notes in the scope that have all words of `q` in any form, the last one also as a prefix, newest first. */
export async function searchNotes(deps: { db: Database }, search: NoteSearch, ended: AbortSignal): Promise<FoundNotes> {
  const words = wordsIn(search);
  if (words === null) return { notes: [], total: 0 };
  return untilAborted(deps.db, ended, async (db) => {
    const all = db.selectFrom(notesIn(search.scope)).where(passes(search)).where(words);
    const page = search.before === null ? all : all.where(isBefore(search.before));
    const notes = await page
      .selectAll()
      .select(AUTHOR_NAME)
      .orderBy(DATE_S, 'desc')
      .orderBy('id', 'desc')
      .limit(search.limit)
      .execute();
    const counted = all.select('id').limit(COUNTED).as('counted');
    const { total } = await db
      .selectFrom(counted)
      .select((row) => row.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return { notes, total };
  });
}

/**
 * Words are looked up in all notes only for who sees all. Otherwise the notes of the bots are read, whatever their words, since the time
 * of a look-up would tell of notes of others: Postgres moves no condition over an offset.
 */
function notesIn(scope: NoteScope) {
  if (scope === 'fleet') return sql<NoteRow>`notes`.as('notes');
  const isIn =
    'botIds' in scope
      ? sql`bot_id = any (${scope.botIds}::bigint[])`
      : sql`bot_id = ${scope.botId} and chat_id = any (${scope.chatIds}::bigint[])`;
  return sql<NoteRow>`(select * from notes where ${isIn} offset 0)`.as('notes');
}

function passes({ business_connection_id: connection, fromS, toS }: NoteSearch): RawBuilder<SqlBool> {
  const conditions = [
    connection === undefined ? sql`true` : sql`business_connection_id = ${connection}`,
    fromS === undefined ? sql`true` : sql`${DATE_S} >= ${fromS}`,
    toS === undefined ? sql`true` : sql`${DATE_S} <= ${toS}`,
  ];
  return sql`${sql.join(conditions, sql` and `)}`;
}

function isBefore([date, id, botId, chatId, connection]: NotePosition): RawBuilder<SqlBool> {
  return sql`(${DATE_S}, ${PLACE}, bot_id, chat_id, business_connection_id)
    < (${date}::bigint, ${id}::bigint, ${botId}::bigint, ${chatId}::bigint, ${connection}::text)`;
}

/** Plain words are looked up by their index; of other scripts, and of signs, any part of the text is enough. Null: there is no word. */
function wordsIn({ q, forms }: NoteSearch): RawBuilder<SqlBool> | null {
  const words = searchWords(q);
  if (words.length === 0) return null;
  const isPlain = ({ word, run }: (typeof words)[number]) => run === null && PLAIN_WORD.test(word);
  const last = words.at(-1);
  const operands = words.filter(isPlain).map((one) => {
    const asked = one === last ? `'${one.word}':*` : `'${one.word}'`;
    const others = (forms.get(one.word) ?? []).map((form) => `'${form}'`);
    return `(${[asked, ...others].join(' | ')})`;
  });
  const parts = words.filter((one) => !isPlain(one)).map(({ word }) => sql`search_text like ${partOf(word)}`);
  const found = operands.length === 0 ? [] : [sql`${WORDS} @@ ${operands.join(' & ')}::tsquery`];
  return sql`${sql.join([...found, ...parts], sql` and `)}`;
}

function partOf(word: string): string {
  return `%${fold(word).replace(/[\\%_]/g, '\\$&')}%`;
}
