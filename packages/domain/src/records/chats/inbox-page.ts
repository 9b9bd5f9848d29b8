import { chatIdIn, chatNamePattern } from '@flotilla/database/chat-search-name.ts';
import { type RawBuilder, sql } from 'kysely';
import { shownSince } from '../../fleet/bots/deletion-store.ts';
import { type Scope, visibleTo } from '../../people/accounts/scope.ts';
import { LAST_PERIOD_BITS } from '../history/history-chat-store.ts';
import { isOfPerson } from '../history/message-side.ts';
import { awaits, type DeskFilter, deskConditions } from './chat-desk.ts';
import { type CONVERSATION_KINDS, ofBothKinds } from './conversation-rows.ts';

export interface InboxFilter extends DeskFilter {
  accountId: number;
  /** A part of a name, or the id; '' matches all. */
  q: string;
  type?: string | undefined;
  /** Only chats with a message of a person that the account has not read and that was not answered. */
  unread: boolean;
}

/** The position of a conversation in the list. */
export type InboxCursor = readonly [lastDate: number, botId: number, chatId: number, businessConnectionId: string];

export interface InboxQuery extends InboxFilter {
  /** True: the one that has waited longest for an answer comes first, and only those that wait. */
  byWaiting?: boolean;
  limit: number;
  offset: number;
  before: InboxCursor | null;
}

/** Few bots are each asked for their newest chats; for more, the newest chats of all bots are read. */
const FEW_BOTS = 500;

/** The newest chats that are looked at: of all bots together and of each. */
export type UnreadLimits = { among: number; amongOfBot: number; most: number };

export function newestChats(scope: Scope, { among, amongOfBot }: UnreadLimits): RawBuilder<unknown> {
  const all = { q: '', unread: false, accountId: 0, limit: among, offset: 0, before: null };
  return pageQueries(scope, all, amongOfBot);
}

const WAITING_COLUMNS = sql.join(
  ['type', 'last_incoming_date', 'last_incoming_id', 'last_answer_date', 'last_answer_id', 'done_date', 'done_id'].map(
    (name) => sql.ref(`c.${name}`),
  ),
);

/** Among more chats that wait, those whose newest message is oldest are looked at. */
const SORTED_AT_MOST = 1_000;

function longestWaiting(limit: number, offset: number): RawBuilder<unknown> {
  return sql`
    select bot_id, id, business_connection_id from (
      select f.*, ${waitingSince('f')} as waiting_since from (
        select * from found order by last_incoming_date, bot_id, id limit ${SORTED_AT_MOST + offset + limit}
      ) as f
    ) as sorted ${LONGEST_FIRST} limit ${limit} offset ${offset}`;
}

/** Since when a person waits for an answer; null: nobody does. */
export function waitingSince(row: string): RawBuilder<number | null> {
  const of = (name: string) => sql.ref(`${row}.${name}`);
  const isLater = (what: string) => sql`(m.date, m.id) > (
    coalesce(${of(`${what}_date`)}, ${LONG_AGO}), coalesce(${of(`${what}_id`)}, ${LONG_AGO}))`;
  const chat = { bot_id: of('bot_id'), chat_id: of('id') };
  return sql<number | null>`case when ${awaits(row)} then coalesce((
    select m.date from messages m
    where m.bot_id = ${of('bot_id')} and m.chat_id = ${of('id')} and m.business_connection_id = ${of('business_connection_id')}
      and m.date >= greatest(${of('last_answer_date')}, ${of('done_date')}, ${shownSince(chat)})
      and ${isLater('last_answer')} and ${isLater('done')} and m.deleted_at is null and ${isOfPerson('m')}
    order by m.date, m.id limit 1), ${of('last_incoming_date')}) end`;
}

/** Of `c`, with what the account has read as `mine`. */
export const IS_UNREAD = sql`c.last_incoming_date is not null and (mine.message_date is null
    or (c.last_incoming_date, c.last_incoming_id) > (mine.message_date, mine.message_id))
  and (c.last_answer_date is null
    or (c.last_incoming_date, c.last_incoming_id) > (c.last_answer_date, c.last_answer_id))`;

export const UNCOUNTED = sql`counted as (select null::bigint as total)`;

export const LONG_AGO = sql`-9223372036854775808`;

export const LONGEST_FIRST = sql`order by waiting_since, bot_id, id, business_connection_id`;

export const NEWEST_FIRST = sql`order by last_period desc, last_date desc, bot_id desc, id desc, business_connection_id desc`;

// How many chats have a name or are unread is not known before, so all are read. Of kinds, the planner knows it.
export function needsAll({ q, unread, ...desk }: InboxFilter): boolean {
  return q !== '' || unread || deskConditions('c', desk).length > 0;
}

export function countStatement(scope: Scope, filter: InboxFilter): RawBuilder<{ total: number }> {
  return sql`select sum(total)::bigint as total from (${ofBothKinds(
    ({ rows }) => sql`select count(*) as total from ${rows} c where ${matches(scope, filter)}`,
  )}) as counts`;
}

// An index leads to the newest chats only. If all chats are read, it is once, for the page and for the total.
export function pageQueries(scope: Scope, query: InboxQuery, ofBot = query.limit + query.offset): RawBuilder<unknown> {
  const { limit, offset, before } = query;
  const { bots } = scope;
  const page = sql`${NEWEST_FIRST} limit ${limit} offset ${offset}`;
  const [upToPage, upToOfBot] = [sql`${NEWEST_FIRST} limit ${limit + offset}`, sql`${NEWEST_FIRST} limit ${ofBot}`];
  if (needsAll(query)) {
    return sql`
      found as materialized (${ofBothKinds(
        (kind) => sql`select c.bot_id, c.id, c.business_connection_id, c.last_period, c.last_date, ${WAITING_COLUMNS}
          from ${kind.rows} c ${joinReads(query, kind)} where ${matches(scope, query)}`,
      )}), counted as (select count(*) as total from found), place as materialized (
        ${query.byWaiting ? longestWaiting(limit, offset) : sql`select * from found as c where ${isAfter(before)} ${page}`}
      ), page as materialized (${ofBothKinds(
        ({ rows }) => sql`select c.* from place join ${rows} c using (bot_id, id, business_connection_id)`,
      )})`;
  }
  if (bots === 'all' || bots.size > FEW_BOTS) {
    return sql`${UNCOUNTED}, page as materialized (select c.* from (${ofBothKinds(
      ({ rows }) => sql`select c.* from ${rows} c where ${matches(scope, query)} and ${isAfter(before)} ${upToPage}`,
    )}) as c ${page})`;
  }
  return sql`${UNCOUNTED}, page as materialized (
    select of_bot.* from unnest(${[...bots]}::bigint[]) as bot (id) cross join lateral (
      select c.* from (${ofBothKinds(
        ({ rows }) => sql`select c.* from ${rows} c
          where c.bot_id = bot.id and ${isAfter(before)} and ${isOfType(query.type)} ${upToOfBot}`,
      )}) as c ${upToOfBot}
    ) as of_bot where ${isKept(sql.ref('bot.id'))} ${page})`;
}

// The rows of a deleted bot are removed step by step; until then nobody sees them. The planner takes "<> all" for rarely
// true where there are few bots, and "case" for true half of the time.
export function isKept(botId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${botId} = any (array(select bot_id from deletions where chat_id is null)) then false else true end`;
}

export function matches(scope: Scope, { q, type, unread, ...desk }: InboxFilter): RawBuilder<unknown> {
  const conditions = [
    isKept(sql.ref('c.bot_id')),
    visibleTo(scope, 'c.bot_id'),
    q === '' ? null : sql`(c.id = ${chatIdIn(q)} or c.search_name like ${chatNamePattern(q)})`,
    isOfType(type),
    unread ? IS_UNREAD : null,
    ...deskConditions('c', desk),
  ];
  return sql.join(
    conditions.filter((condition) => condition !== null),
    sql` and `,
  );
}

function isOfType(type: string | undefined): RawBuilder<unknown> {
  return type === undefined ? sql`true` : sql`c.type = ${type}`;
}

function joinReads(
  { unread, accountId }: Pick<InboxFilter, 'unread' | 'accountId'>,
  { reads, ofConnection }: (typeof CONVERSATION_KINDS)[number],
): RawBuilder<unknown> {
  if (!unread) return sql``;
  return sql`left join ${reads} mine
    on mine.bot_id = c.bot_id and mine.chat_id = c.id and mine.account_id = ${accountId} and ${ofConnection}`;
}

/** Up to where the account has read the conversation of a row, of either kind. */
export function marksOf(conversation: string, accountId: number): RawBuilder<unknown> {
  const [botId, chatId, connection] = ['bot_id', 'id', 'business_connection_id'].map((name) =>
    sql.ref(`${conversation}.${name}`),
  );
  const ofChat = sql`r.account_id = ${accountId} and r.bot_id = ${botId} and r.chat_id = ${chatId}`;
  return sql`lateral (
    select r.message_date, r.message_id from chat_reads r where ${ofChat} and ${connection} = ''
    union all
    select r.message_date, r.message_id from business_chat_reads r
    where ${ofChat} and r.business_connection_id = ${connection})`;
}

// The period is a condition of its own, because the index has it alone.
function isAfter(before: InboxCursor | null): RawBuilder<unknown> {
  if (before === null) return sql`true`;
  const [lastDate, botId, chatId, connection] = before;
  return sql`c.last_period <= ${lastDate}::bigint >> ${sql.lit(LAST_PERIOD_BITS)}
    and (c.last_date, c.bot_id, c.id, c.business_connection_id)
      < (${lastDate}::bigint, ${botId}::bigint, ${chatId}::bigint, ${connection}::text)`;
}
