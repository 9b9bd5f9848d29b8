import { chatIdIn, chatNamePattern } from '@flotilla/database/chat-search-name.ts';
import type { ChatsTable } from '@flotilla/database/chat-tables.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Exact, type Scope, visibleTo } from '../../people/accounts/scope.ts';
import { type ChatDesk, type DeskFilter, deskColumns, deskConditions } from './chat-desk.ts';
import type { Conversation } from './conversation.ts';
import { BUSINESS_ROWS, DIRECT_ROWS, ofBothKinds, ownMessageCount } from './conversation-rows.ts';

/** A conversation: the bot's own chat, or that of a business connection. '' is none. */
export type Chat = Selectable<ChatsTable> & ChatDesk & { business_connection_id: string };

export interface ChatFilter extends DeskFilter {
  /** A part of the title, a name or the username (also with `@`), in any case, or the id. '' matches all. */
  q: string;
  type?: string | undefined;
}

export interface ChatPage {
  limit: number;
  offset: number;
  /** The last one of the previous page. */
  after: readonly [botId: number, chatId: number, businessConnectionId: string] | null;
}

/** SQL of chats. */
export function chatStore(db: Database) {
  return {
    /** True if the bot knows the chat, by itself or through a business connection. */
    async isKnown(botId: number, chatId: number): Promise<boolean> {
      const chats = db.selectFrom('chats').select('id').where('bot_id', '=', botId).where('id', '=', chatId);
      return (await chats.executeTakeFirst()) !== undefined;
    },

    async find({ bot_id, chat_id, business_connection_id }: Conversation): Promise<Chat | null> {
      const { rows } = await sql<Chat>`
        select c.*, ${ownMessageCount('c')} as message_count, ${sql.join(deskColumns('c'))}
        from ${business_connection_id === '' ? DIRECT_ROWS : BUSINESS_ROWS} c
        where c.bot_id = ${bot_id} and c.id = ${chat_id} and c.business_connection_id = ${business_connection_id}`.execute(
        db,
      );
      return rows[0] ?? null;
    },

    /** All conversations of a chat, that of the bot itself first. */
    async allOf(botId: number, chatId: number): Promise<Chat[]> {
      const { rows } = await sql<Chat>`
        select c.*, ${ownMessageCount('c')} as message_count, ${sql.join(deskColumns('c'))}
        from (${ofBothKinds(({ rows }) => sql`select * from ${rows} c where c.bot_id = ${botId} and c.id = ${chatId}`)}) c
        order by c.business_connection_id`.execute(db);
      return rows;
    },

    /** The chat that had this public name (without @) when one of the bots last saw it. */
    async findByName(scope: Scope, name: string): Promise<Pick<Chat, 'id'> | null> {
      const chats = db
        .selectFrom('chats')
        .select('id')
        .where(visibleTo(scope, 'bot_id'))
        .where('bot_id', 'in', db.selectFrom('bots').select('id'))
        .where((row) => row(row.fn<string>('lower', ['username']), '=', name.toLowerCase()))
        .orderBy('updated_at', 'desc');
      return (await chats.executeTakeFirst()) ?? null;
    },

    /** The groups that this supergroup was before. */
    async formerOf(botId: number, chatId: number): Promise<number[]> {
      const groups = db.selectFrom('chats').select('id').where('bot_id', '=', botId);
      return (await groups.where('migrated_to_chat_id', '=', chatId).execute()).map(({ id }) => id);
    },

    /** The supergroup that a group became; other chats are themselves. */
    async currentOf(botId: number, chatId: number): Promise<number> {
      const groups = db.selectFrom('chats').select('migrated_to_chat_id').where('bot_id', '=', botId);
      const row = await groups.where('id', '=', chatId).executeTakeFirst();
      return row?.migrated_to_chat_id ?? chatId;
    },

    /** The bots that know a private chat with a person. */
    async privateChatsWith(scope: Scope, userId: number, limit: number): Promise<number[]> {
      const chats = db
        .selectFrom('chats')
        .select('bot_id')
        .where(visibleTo(scope, 'bot_id'))
        .where('bot_id', 'in', db.selectFrom('bots').select('id'))
        .where('type', '=', 'private')
        .where('id', '=', userId);
      return (await chats.orderBy('bot_id').limit(limit).execute()).map((row) => row.bot_id);
    },

    /** The bots that track a chat. */
    async botsOf(scope: Scope, chatId: number): Promise<number[]> {
      const chats = db.selectFrom('chats').select('bot_id').where(visibleTo(scope, 'bot_id'));
      const rows = await chats.where('id', '=', chatId).execute();
      return rows.map((row) => row.bot_id);
    },

    /** Ordered by bot and id, so that new chats and messages do not shift pages. */
    async list<Given extends ChatFilter>(
      scope: Scope,
      filter: Exact<ChatFilter, Given>,
      { limit, offset, after }: ChatPage,
    ): Promise<Chat[]> {
      const inOrder = sql`order by bot_id, id, business_connection_id`;
      const isAfter =
        after === null
          ? sql`true`
          : sql`(c.bot_id, c.id, c.business_connection_id) > (${after[0]}::bigint, ${after[1]}::bigint, ${after[2]}::text)
              and (c.bot_id, c.id) >= (${after[0]}::bigint, ${after[1]}::bigint)`;
      const { rows } = await sql<Chat>`
        select c.*, ${ownMessageCount('c')} as message_count, ${sql.join(deskColumns('c'))} from (
          select * from (${ofBothKinds(
            ({ rows: ofKind }) => sql`select c.* from ${ofKind} c where ${matches(scope, filter)} and ${isAfter}
              ${inOrder} limit ${limit + offset}`,
          )}) as first ${inOrder} limit ${limit} offset ${offset}
        ) as c ${inOrder}`.execute(db);
      return rows;
    },

    async count<Given extends ChatFilter>(scope: Scope, filter: Exact<ChatFilter, Given>): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        select sum(count)::bigint as count from (${ofBothKinds(
          ({ rows: ofKind }) => sql`select count(*) as count from ${ofKind} c where ${matches(scope, filter)}`,
        )}) as counts`.execute(db);
      return rows[0]?.count ?? 0;
    },
  };
}

/** On rows of conversations, named `c`. A deleted bot's chats are removed step by step. */
function matches(scope: Scope, { q, type, ...desk }: ChatFilter): RawBuilder<unknown> {
  const conditions = [
    sql`c.bot_id in (select id from bots)`,
    visibleTo(scope, 'c.bot_id'),
    type === undefined ? null : sql`c.type = ${type}`,
    q === '' ? null : isNamed(q),
    ...deskConditions('c', desk),
  ];
  return sql.join(
    conditions.filter((condition) => condition !== null),
    sql` and `,
  );
}

function isNamed(q: string): RawBuilder<boolean> {
  return sql<boolean>`(c.id = ${chatIdIn(q)} or c.search_name like ${chatNamePattern(q)})`;
}
