import type { ChatQueue } from '@flotilla/contract/chat-queues.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';
import { shownSince } from '../../fleet/bots/deletion-store.ts';
import type { Exact, Scope } from '../../people/accounts/scope.ts';
import { placeIn } from '../history/message-place.ts';
import type { MessageRow } from '../history/message-row.ts';
import { isOfPerson } from '../history/message-side.ts';
import { type DeskFilter, deskColumns, deskConditions } from './chat-desk.ts';
import type { Chat } from './chat-store.ts';
import type { Conversation } from './conversation.ts';
import { CONVERSATION_KINDS, ofBothKinds, ownMessageCount } from './conversation-rows.ts';
import {
  countStatement,
  type InboxQuery,
  IS_UNREAD,
  isKept,
  LONG_AGO,
  LONGEST_FIRST,
  marksOf,
  matches,
  NEWEST_FIRST,
  needsAll,
  newestChats,
  pageQueries,
  UNCOUNTED,
  type UnreadLimits,
  waitingSince,
} from './inbox-page.ts';

export type LastMessage = Pick<MessageRow, (typeof LAST_MESSAGE_COLUMNS)[number]>;

/** A chat with its newest message that is not deleted, and what one account has not read of it. */
export interface InboxChat {
  chat: Chat;
  last_message: LastMessage | null;
  unread: number;
  /** Up to which message the account has read; null: it has marked none. */
  read_message_id: number | null;
  /** The date of the first message of a person that is not answered, Unix seconds; null: none waits. */
  waitingSinceS: number | null;
}

const LAST_MESSAGE_COLUMNS = [
  ...(['id', 'user_id', 'username', 'first_name', 'last_name', 'text', 'date'] as const),
  ...(['media_type', 'service', 'outgoing', 'program_id', 'automatic', 'business_connection_id'] as const),
] as const;

const TEXT_CHARACTERS = 200;

/** Unread messages are counted among the newest ones of a chat, because a channel may have a million of its own. */
const LOOKED_AT = 200;

/** The highest count of unread messages. */
const MOST_UNREAD = 100;

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

function inboxChatOf({ unread, read_message_id, own_message_count, waiting_since, ...row }: InboxRow): InboxChat {
  const values = LAST_MESSAGE_COLUMNS.map((column) => [column, row[`last_message_${column}`]]);
  const last_message = row.last_message_id === null ? null : (Object.fromEntries(values) as LastMessage);
  return {
    chat: { ...row, message_count: own_message_count },
    last_message,
    unread,
    read_message_id,
    waitingSinceS: waiting_since,
  };
}
