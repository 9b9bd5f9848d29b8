import type { Lexemes } from '@flotilla/database/search-query.ts';
import { type RawBuilder, sql } from 'kysely';
import { shownSince } from '../../fleet/bots/deletion-store.ts';
import type { Scope } from '../../people/accounts/scope.ts';
import { MESSAGE_COLUMNS } from '../history/message-row.ts';
import { isInThread, type Message, type MessageFilter, notAfter } from './message-store.ts';

/** The scope of a search: chats of one bot, some bots, or all bots. */
export type SearchScope = Lexemes;

/** All that somebody sees. */
export function searchedIn({ bots }: Scope): SearchScope {
  return bots === 'all' ? 'fleet' : { botIds: [...bots] };
}

/** The position of a message among those of several chats; older ones come after it. */
export type SearchCursor = readonly [date: number, id: number, botId: number, chatId: number, connection: string];

/** Messages newest first: by date, then by id; the rest only makes the order the same every time. */
export const NEWEST_FIRST = sql`order by date desc, id desc, bot_id desc, chat_id desc, business_connection_id desc`;
const REST_OF_ORDER = sql`id desc, bot_id desc, chat_id desc, business_connection_id desc`;
/** The indexes of the messages of a bot and of the fleet have this expression. */
const INDEXED_DATE = sql`date + 0`;

/** For so few bots each one's newest messages are read; for more, the newest of all bots. */
const FEW_BOTS = 2;

export function columns(of?: string): RawBuilder<unknown> {
  return sql.join(MESSAGE_COLUMNS.map((column) => sql.ref(of === undefined ? column : `${of}.${column}`)));
}

type Newest = {
  before: SearchCursor | null;
  filter?: MessageFilter | undefined;
  rows: number;
  /** Older messages are not read; null: all are. To plan for all months takes longer than to read some messages. */
  sinceS: number | null;
};

/** The newest messages, at most `rows`; of many bots, those of bots outside the scope are among them. */
export function newestIn(scope: SearchScope, { before, filter, rows, sinceS }: Newest): RawBuilder<unknown> {
  const { fromS, toS } = filter ?? {};
  const read = ({ condition, date }: Source) => sql`(
    select ${columns()}, thread_id, search from messages where ${condition} and ${isBefore(before)}
      and ${sinceS === null ? sql`true` : sql`date >= ${sinceS}`}
      and ${date === INDEXED_DATE ? sql`${reaches(before, filter)} and ${passes({ fromS, toS })}` : passes(filter)}
    order by ${date} desc, ${REST_OF_ORDER} limit ${rows})`;
  const sources = sourcesOf(scope).map(read);
  if (sources.length === 1) return sources[0]!;
  return sql`select * from (${sql.join(sources, sql` union all `)}) as of_each ${NEWEST_FIRST} limit ${rows}`;
}

/** Where the index of a bot or of the fleet is entered. */
function reaches(before: SearchCursor | null, { toS = Infinity }: MessageFilter = {}): RawBuilder<unknown> {
  const last = Math.min(before?.[0] ?? Infinity, toS);
  return last === Infinity ? sql`true` : sql`${INDEXED_DATE} <= ${last}`;
}

type Source = { condition: RawBuilder<unknown>; date: RawBuilder<unknown> };

/** Whose newest messages are read. Each has its ids in its own condition: of ids in a list the planner knows no frequency. */
function sourcesOf(scope: SearchScope): Source[] {
  if (scope === 'fleet') return [{ condition: sql`true`, date: INDEXED_DATE }];
  if ('botIds' in scope) {
    if (scope.botIds.length > FEW_BOTS) return sourcesOf('fleet');
    return scope.botIds.map((botId) => ({ condition: sql`bot_id = ${botId}`, date: INDEXED_DATE }));
  }
  const { botId, chatIds } = scope;
  return chatIds.map((chat_id) => ({
    condition: sql`bot_id = ${botId} and chat_id = ${chat_id} and date >= ${shownSince({ bot_id: botId, chat_id })}`,
    date: sql.ref('date'),
  }));
}

/** True if a row is in the scope. No index is used for it. */
export function isIn(scope: SearchScope): RawBuilder<unknown> {
  if (scope === 'fleet') return sql`true`;
  if ('botIds' in scope) return sql`m.bot_id + 0 = any (${scope.botIds}::bigint[])`;
  return sql`m.bot_id + 0 = ${scope.botId} and m.chat_id + 0 = any (${scope.chatIds}::bigint[])`;
}

/** The same, and that its chat and bot are not being deleted. */
export function isShownIn(scope: SearchScope): RawBuilder<unknown> {
  return sql`${isIn(scope)} and not exists (
    select from deletions d where d.bot_id = m.bot_id
      and (d.chat_id is null or (d.chat_id = m.chat_id and m.date < d.before_date)))`;
}

/** Messages before a position, as a condition that also tells Postgres which partitions to leave out. */
export function isBefore(before: SearchCursor | null): RawBuilder<unknown> {
  if (before === null) return sql`true`;
  const [date, id, botId, chatId, connection] = before;
  return sql`${notAfter(date)} and (date, id, bot_id, chat_id, business_connection_id)
    < (${date}::bigint, ${id}::bigint, ${botId}::bigint, ${chatId}::bigint, ${connection}::text)`;
}

export function passes({
  user_id,
  media_type,
  business_connection_id,
  thread_id,
  fromS,
  toS,
}: MessageFilter = {}): RawBuilder<unknown> {
  const conditions = [
    user_id === undefined ? null : sql`user_id = ${user_id}`,
    media_type === undefined ? null : sql`media_type = ${media_type}`,
    business_connection_id === undefined ? null : sql`business_connection_id = ${business_connection_id}`,
    thread_id === undefined ? null : isInThread(thread_id),
    fromS === undefined ? null : sql`date >= ${fromS}`,
    toS === undefined ? null : sql`date <= ${toS}`,
  ].filter((condition) => condition !== null);
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

export function searchCursorOf(message: Message): SearchCursor {
  return [message.date, message.id, message.bot_id, message.chat_id, message.business_connection_id];
}
