import type { ChatQueue } from '@flotilla/contract/chat-queues.ts';
import { chatIdIn, chatNamePattern } from '@flotilla/database/chat-search-name.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';
import { shownSince } from '../../fleet/bots/deletion-store.ts';
import { type Exact, type Scope, visibleTo } from '../../people/accounts/scope.ts';
import { LAST_PERIOD_BITS } from '../history/history-chat-store.ts';
import { placeIn } from '../history/message-place.ts';
import type { MessageRow } from '../history/message-row.ts';
import { isOfPerson } from '../history/message-side.ts';
import { awaits, type DeskFilter, deskColumns, deskConditions } from './chat-desk.ts';
import type { Chat } from './chat-store.ts';
import type { Conversation } from './conversation.ts';
import { CONVERSATION_KINDS, ofBothKinds, ownMessageCount } from './conversation-rows.ts';

export type LastMessage = Pick<MessageRow, (typeof LAST_MESSAGE_COLUMNS)[number]>;

/** A chat with its newest message that is not deleted, and what one account has not read of it. */
export interface InboxChat {
  chat: Chat;
  lastMessage: LastMessage | null;
  unread: number;
  /** Up to which message the account has read; null: it has marked none. */
  readMessageId: number | null;
  /** The date of the first message of a person that is not answered, Unix seconds; null: none waits. */
  waitingSinceS: number | null;
}

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

const LAST_MESSAGE_COLUMNS = [
  ...(['id', 'user_id', 'username', 'first_name', 'last_name', 'text', 'date'] as const),
  ...(['media_type', 'service', 'outgoing', 'automatic', 'business_connection_id'] as const),
] as const;
const TEXT_CHARACTERS = 200;
/** Unread messages are counted among the newest ones of a chat, because a channel may have a million of its own. */
const LOOKED_AT = 200;
/** The highest count of unread messages. */
const MOST_UNREAD = 100;
/** Few bots are each asked for their newest chats; for more, the newest chats of all bots are read. */
const FEW_BOTS = 500;

/** SQL of the chats of several bots, the one with the newest message first. */
export function inboxStore(db: Database) {
  return {
    /** A page of the chats that match, and how many match in all. */
    async list<Given extends InboxQuery>(
      scope: Scope,
      query: Exact<InboxQuery, Given>,
    ): Promise<{ chats: InboxChat[]; total: number }> {
      const [{ rows }, counted] = await Promise.all([
        listStatement(scope, query).execute(db),
        needsAll(query) ? null : countStatement(scope, query).execute(db),
      ]);
      const total = (counted?.rows ?? rows)[0]?.total ?? 0;
      return { chats: rows.filter((row) => row.id !== null).map(inboxChatOf), total };
    },

    /** How many conversations each queue has, of which this is the filter. */
    async countQueues(scope: Scope, filters: Record<ChatQueue, DeskFilter>): Promise<Record<ChatQueue, number>> {
      const queues = Object.entries(filters).map(([queue, filter]) => ({
        name: sql.ref(queue),
        isIn: sql.join([sql`true`, ...deskConditions('c', filter)], sql` and `),
      }));
      const all = { q: '', unread: false, accountId: 0 };
      const { rows } = await sql<Record<ChatQueue, number>>`
        select ${sql.join(queues.map(({ name }) => sql`coalesce(sum(${name}), 0)::bigint as ${name}`))} from (${ofBothKinds(
          ({ rows: ofKind }) => sql`
            select ${sql.join(queues.map(({ name, isIn }) => sql`count(*) filter (where ${isIn}) as ${name}`))}
            from ${ofKind} c where ${matches(scope, all)}`,
        )}) as counts`.execute(db);
      return rows[0]!;
    },

    /** How many of the newest chats the account has not read, at most `most`. */
    async countUnread(scope: Scope, accountId: number, limits: UnreadLimits): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        with ${newestChats(scope, limits)}
        select count(*) as count from (
          select from page c left join ${marksOf('c', accountId)} as mine on true where ${IS_UNREAD} limit ${limits.most}
        ) as unread`.execute(db);
      return rows[0]?.count ?? 0;
    },

    /** One conversation; null if the bot has not seen it. */
    async find(
      accountId: number,
      { bot_id, chat_id, business_connection_id }: Conversation,
    ): Promise<InboxChat | null> {
      const { rows: conversations } = CONVERSATION_KINDS[business_connection_id === '' ? 0 : 1];
      const page = sql`${UNCOUNTED}, page as materialized (
        select c.* from ${conversations} c where c.bot_id = ${bot_id} and c.id = ${chat_id}
          and c.business_connection_id = ${business_connection_id} and ${isKept(sql.ref('c.bot_id'))})`;
      const { rows } = await statementOf(accountId, page).execute(db);
      return rows[0] === undefined || rows[0].id === null ? null : inboxChatOf(rows[0]);
    },
  };
}

/** The newest chats that are looked at: of all bots together and of each. */
type UnreadLimits = { among: number; amongOfBot: number; most: number };

function newestChats(scope: Scope, { among, amongOfBot }: UnreadLimits): RawBuilder<unknown> {
  const all = { q: '', unread: false, accountId: 0, limit: among, offset: 0, before: null };
  return pageQueries(scope, all, amongOfBot);
}

type InboxRow = Chat &
  Record<`last_message_${string}`, unknown> & {
    own_message_count: number;
    unread: number;
    read_message_id: number | null;
    waiting_since: number | null;
    total: number;
  };

/** A page, with the total in each row if all chats were read; an empty page is then one row with the total only. */
export function listStatement(scope: Scope, query: InboxQuery): RawBuilder<InboxRow> {
  return statementOf(query.accountId, pageQueries(scope, query), query.byWaiting ? LONGEST_FIRST : NEWEST_FIRST);
}

function statementOf(
  accountId: number,
  page: RawBuilder<unknown>,
  order: RawBuilder<unknown> = NEWEST_FIRST,
): RawBuilder<InboxRow> {
  const chat = { bot_id: sql.ref('page.bot_id'), chat_id: sql.ref('page.id') };
  const columns = LAST_MESSAGE_COLUMNS.map((column) => {
    const value = column === 'text' ? sql`left(text, ${sql.lit(TEXT_CHARACTERS)})` : sql.ref(column);
    return sql`${value} as ${sql.ref(`last_message_${column}`)}`;
  });
  return sql`
    with ${page}
    select counted.total, page.*, ${ownMessageCount('page')} as own_message_count, ${sql.join(deskColumns('page'))}, mark.message_id as read_message_id, newest.*, fresh.unread,
      ${waitingSince('page')} as waiting_since
    from counted left join page on true
    left join ${marksOf('page', accountId)} as mark on true
    left join lateral (
      select ${sql.join(columns)} from messages m
      where m.bot_id = page.bot_id and m.chat_id = page.id and m.business_connection_id = page.business_connection_id
        and m.deleted_at is null and m.date >= ${shownSince(chat)}
      order by m.date desc, ${placeIn('m')} desc, m.id desc limit 1
    ) as newest on true
    cross join lateral (
      select least(count(*), ${sql.lit(MOST_UNREAD)}) as unread from (
        select ${isOfPerson('m')} as is_of_person, m.deleted_at from messages m
        where m.bot_id = page.bot_id and m.chat_id = page.id and m.business_connection_id = page.business_connection_id
          and m.date >= ${shownSince(chat)}
          and m.date >= greatest(mark.message_date, page.last_answer_date, ${LONG_AGO})
          and (m.date, m.id) > (coalesce(mark.message_date, ${LONG_AGO}), coalesce(mark.message_id, ${LONG_AGO}))
          and (m.date, m.id) > (coalesce(page.last_answer_date, ${LONG_AGO}), coalesce(page.last_answer_id, ${LONG_AGO}))
        order by m.date desc, m.id desc limit ${sql.lit(LOOKED_AT)}
      ) as seen where is_of_person and deleted_at is null
    ) as fresh
    ${order}`;
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
function waitingSince(row: string): RawBuilder<number | null> {
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
const IS_UNREAD = sql`c.last_incoming_date is not null and (mine.message_date is null
    or (c.last_incoming_date, c.last_incoming_id) > (mine.message_date, mine.message_id))
  and (c.last_answer_date is null
    or (c.last_incoming_date, c.last_incoming_id) > (c.last_answer_date, c.last_answer_id))`;

const UNCOUNTED = sql`counted as (select null::bigint as total)`;
const LONG_AGO = sql`-9223372036854775808`;
const LONGEST_FIRST = sql`order by waiting_since, bot_id, id, business_connection_id`;
const NEWEST_FIRST = sql`order by last_period desc, last_date desc, bot_id desc, id desc, business_connection_id desc`;

// How many chats have a name or are unread is not known before, so all are read. Of kinds, the planner knows it.
function needsAll({ q, unread, ...desk }: InboxFilter): boolean {
  return q !== '' || unread || deskConditions('c', desk).length > 0;
}

function countStatement(scope: Scope, filter: InboxFilter): RawBuilder<{ total: number }> {
  return sql`select sum(total)::bigint as total from (${ofBothKinds(
    ({ rows }) => sql`select count(*) as total from ${rows} c where ${matches(scope, filter)}`,
  )}) as counts`;
}

// An index leads to the newest chats only. If all chats are read, it is once, for the page and for the total.
function pageQueries(scope: Scope, query: InboxQuery, ofBot = query.limit + query.offset): RawBuilder<unknown> {
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
function isKept(botId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${botId} = any (array(select bot_id from deletions where chat_id is null)) then false else true end`;
}

function matches(scope: Scope, { q, type, unread, ...desk }: InboxFilter): RawBuilder<unknown> {
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
function marksOf(conversation: string, accountId: number): RawBuilder<unknown> {
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

function inboxChatOf({
  unread,
  read_message_id: readMessageId,
  own_message_count,
  waiting_since,
  ...row
}: InboxRow): InboxChat {
  const values = LAST_MESSAGE_COLUMNS.map((column) => [column, row[`last_message_${column}`]]);
  const lastMessage = row.last_message_id === null ? null : (Object.fromEntries(values) as LastMessage);
  return {
    chat: { ...row, message_count: own_message_count },
    lastMessage,
    unread,
    readMessageId,
    waitingSinceS: waiting_since,
  };
}
