import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';
import { shownSince } from '../../fleet/bots/deletion-store.ts';

/** The key of the last row removed; the next step continues after it. */
export type DateCursor = readonly [date: number, id: number];
export type KeyCursor = readonly [businessConnectionId: string, chatId: number, id: number];

const OLDEST: DateCursor = [-Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];
const HIGHEST_ID = Number.MAX_SAFE_INTEGER;
const FIRST: KeyCursor = ['', -Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];

/**
 * Tables other than `messages` with rows of a bot that no foreign key removes, and their column for the bot. Of the
 * audit log, only the bot's own actions in chats are removed; actions of people and changes of settings outlive it.
 */
const TABLES_OF_BOT: readonly (readonly [table: string, column: string, which?: RawBuilder<unknown>, key?: string])[] =
  [
    ['chats', 'bot_id'],
    ['topics', 'bot_id'],
    ['chat_reads', 'bot_id'],
    ['business_chats', 'bot_id'],
    ['business_chat_reads', 'bot_id'],
    ['chat_users', 'bot_id'],
    ['chat_authors', 'bot_id'],
    ['route_links', 'target_bot_id'],
    ['route_links', 'source_bot_id'],
    ['audit_log', 'bot_id', sql`actor_kind = 'bot' and chat_id is not null`, 'id'],
    ['dead_letters', 'bot_id'],
    ['journal_pages', 'bot_id', sql`true`, 'key'],
    ['activity_hours', 'bot_id'],
    ['events', 'bot_id'],
    ['standing_events', 'bot_id'],
    ['outbox', 'bot_id'],
    ['outbox_claims', 'bot_id'],
  ];

/**
 * Statements that each remove a limited number of rows: of partitioned tables by a range of a key, of others by their position in
 * the table (ctid), which only one table can tell. They need no join, so stale statistics of the planner do no harm. A row that
 * moves meanwhile is removed by a later step.
 */
export function removalStore(db: Database) {
  return {
    /**
     * Removes a chat's messages dated before a date, oldest first. `shown` is how many of them message_count included;
     * `last` is null when there was none.
     */
    async removeMessagesBefore(
      chat: ChatOfBot,
      beforeDate: number,
      from: DateCursor | null,
      limit: number,
    ): Promise<{ shown: number; last: DateCursor | null }> {
      const first = from ?? OLDEST;
      const ofChat = sql`bot_id = ${chat.bot_id} and chat_id = ${chat.chat_id} and date < ${beforeDate}
        and date >= ${first[0]} and (date, id) >= (${first[0]}::bigint, ${first[1]}::bigint)`;
      const { rows: ends } = await sql<{ date: number; id: number }>`
        select date, id from messages where ${ofChat} order by date, id limit 1 offset ${limit - 1}`.execute(db);
      const end = ends[0] ?? { date: beforeDate, id: HIGHEST_ID };
      const { rows } = await sql<{ shown: number; date: number | null; id: number }>`
        with gone as (
          delete from messages
          where ${ofChat} and date <= ${end.date} and (date, id) <= (${end.date}::bigint, ${end.id}::bigint)
          returning date, id, deleted_at
        ), counted as (
          select count(*) filter (where deleted_at is null) as shown, max(array[date, id]) as last from gone
        )
        select shown, last[1] as date, last[2] as id from counted`.execute(db);
      const [row] = rows;
      if (row === undefined || row.date === null) return { shown: 0, last: null };
      return { shown: row.shown, last: [row.date, row.id] };
    },

    /** Returns how many it removed, at most `limit`. Deliveries go with their events. */
    async removeEventsBefore(at: Date, limit: number): Promise<number> {
      const expired = db.selectFrom('events').select('id').where('at', '<', at).orderBy('at').limit(limit);
      const { numDeletedRows } = await db.deleteFrom('events').where('id', 'in', expired).executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },

    /** Removes dead letters that were made before a time, oldest first. Their ids are in that order, and only the first are read. */
    async removeDeadLettersBefore(before: Date, limit: number): Promise<number> {
      const { numAffectedRows } = await sql`
        delete from dead_letters where created_at < ${before} and id = any (array(
          select id from dead_letters order by id limit ${limit}))`.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** Removes entries of the outbox that ended before a time, oldest first. Returns how many. */
    async removeOutboxBefore(before: Date, limit: number): Promise<number> {
      const { numAffectedRows } = await sql`
        delete from outbox where id = any (array(
          select id from outbox where settled_at < ${before} order by settled_at limit ${limit}))`.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** Removes broadcasts that ended before a time, oldest first. Returns how many. */
    async removeBroadcastsBefore(before: Date, limit: number): Promise<number> {
      const ended = db.selectFrom('broadcasts').select('id').where('ended_at', '<', before);
      const oldest = ended.orderBy('ended_at').limit(limit);
      return Number((await db.deleteFrom('broadcasts').where('id', 'in', oldest).executeTakeFirst()).numDeletedRows);
    },

    /** Ends the lists of chats that nobody used since then, and no broadcast waits to read. */
    async endListsBefore(before: Date): Promise<void> {
      await sql`
        update chat_lists l set removed_at = now() where removed_at is null and used_at < ${before} and not exists (
          select from broadcasts where ended_at is null and audience ->> 'list_id' = l.id::text)`.execute(db);
    },

    /** Removes rows of a list that ended, and the list with its last one. No lists: none is left. */
    async removeListed(limit: number): Promise<{ rows: number; lists: number }> {
      const [ended] = await db
        .selectFrom('chat_lists')
        .select('id')
        .where('removed_at', 'is not', null)
        .limit(1)
        .execute();
      if (ended === undefined) return { rows: 0, lists: 0 };
      const { numAffectedRows } = await sql`
        delete from chat_list_entries where list_id = ${ended.id} and chat_id = any (array(
          select chat_id from chat_list_entries where list_id = ${ended.id} limit ${limit}))`.execute(db);
      const rows = Number(numAffectedRows ?? 0);
      if (rows < limit) await db.deleteFrom('chat_lists').where('id', '=', ended.id).execute();
      return { rows, lists: 1 };
    },

    /** Removes a bot's messages in the order of their key. `last` is null when there was none. */
    async removeMessagesOfBot(
      botId: number,
      from: KeyCursor | null,
      limit: number,
    ): Promise<{ last: KeyCursor | null }> {
      const [connection, chatId, id] = from ?? FIRST;
      const key = sql`(business_connection_id, chat_id, id)`;
      const ofBot = sql`bot_id = ${botId} and ${key} >= (${connection}, ${chatId}::bigint, ${id}::bigint)`;
      const { rows } = await sql<{ business_connection_id: string; chat_id: number; id: number }>`
        select * from (
          select business_connection_id, chat_id, id from messages where ${ofBot}
          order by business_connection_id, chat_id, id limit ${limit}
        ) as first order by business_connection_id desc, chat_id desc, id desc limit 1`.execute(db);
      const [last] = rows;
      if (last === undefined) return { last: null };
      await sql`
        delete from messages
        where ${ofBot} and ${key} <= (${last.business_connection_id}, ${last.chat_id}::bigint, ${last.id}::bigint)`.execute(
        db,
      );
      return { last: [last.business_connection_id, last.chat_id, last.id] };
    },

    /** Removes other rows of a bot, one table at a time. Returns 0 when none is left. */
    async removeRowsOfBot(botId: number, limit: number): Promise<number> {
      for (const [table, column, which = sql`true`, key = 'ctid'] of TABLES_OF_BOT) {
        const { numAffectedRows } = await sql`
          delete from ${sql.table(table)} where ${sql.ref(key)} = any (array(
            select ${sql.ref(key)} from ${sql.table(table)} where ${sql.ref(column)} = ${botId} and ${which} limit ${limit}))`.execute(
          db,
        );
        if (numAffectedRows !== undefined && numAffectedRows > 0n) return Number(numAffectedRows);
      }
      return 0;
    },

    /** Removes audit entries dated before a date, oldest first. */
    async removeAuditsBefore(beforeDate: number, limit: number): Promise<number> {
      const { numAffectedRows } = await sql`
        delete from audit_log where date < ${beforeDate} and id = any (array(
          select id from audit_log where date < ${beforeDate} order by date limit ${limit}))`.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** Fast only for the date up to which a partition reaches. */
    async anyMessageBefore(beforeDate: number): Promise<boolean> {
      const message = db.selectFrom('messages').select('id').where('date', '<', beforeDate).limit(1);
      return (await message.executeTakeFirst()) !== undefined;
    },

    /** Removes hours of activity that began before a time (ms), oldest first. */
    async removeActivityBefore(beforeMs: number, limit: number): Promise<number> {
      const { numAffectedRows } = await sql`
        delete from activity_hours where ctid = any (array(
          select ctid from activity_hours where at < ${new Date(beforeMs)} order by at limit ${limit}))`.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** Chats in the order of their key. `expired` says whether a chat has messages dated before a date. */
    async chatsAfter(
      from: ChatOfBot | null,
      beforeDate: number,
      limit: number,
    ): Promise<(ChatOfBot & { expired: boolean })[]> {
      const { bot_id, chat_id } = from ?? { bot_id: -1, chat_id: 0 };
      const { rows } = await sql<ChatOfBot & { expired: boolean }>`
        select c.bot_id, c.id as chat_id, exists (
          select from messages m where m.bot_id = c.bot_id and m.chat_id = c.id and m.date < ${beforeDate}) as expired
        from chats c where (c.bot_id, c.id) > (${bot_id}::bigint, ${chat_id}::bigint)
        order by c.bot_id, c.id limit ${limit}`.execute(db);
      return rows;
    },

    async subtractCount(chat: ChatOfBot, count: number): Promise<void> {
      await sql`
        update chats set message_count = greatest(message_count - ${count}::bigint, 0)
        where bot_id = ${chat.bot_id} and id = ${chat.chat_id}`.execute(db);
    },

    /** Counts the shown messages of a chat again, if the chat is tracked. */
    async recount(chat: ChatOfBot): Promise<void> {
      await sql`
        update chats set message_count = (
          select count(*) from messages m
          where m.bot_id = ${chat.bot_id} and m.chat_id = ${chat.chat_id} and m.deleted_at is null
            and m.date >= ${shownSince(chat)})
        where bot_id = ${chat.bot_id} and id = ${chat.chat_id}`.execute(db);
    },

    /** Removes a chat without its messages and audit entries. Returns false when it was not tracked. */
    async removeChat(chat: ChatOfBot): Promise<boolean> {
      const { numAffectedRows } = await sql`
        delete from chats where bot_id = ${chat.bot_id} and id = ${chat.chat_id}`.execute(db);
      for (const table of [
        'chat_reads',
        'business_chats',
        'business_chat_reads',
        'chat_users',
        'tags',
        'notes',
        'topics',
      ]) {
        await sql`
          delete from ${sql.table(table)} where bot_id = ${chat.bot_id} and chat_id = ${chat.chat_id}`.execute(db);
      }
      return numAffectedRows !== undefined && numAffectedRows > 0n;
    },

    /** Removes what waits to be sent into a chat, and its questions. What is being sent stays, so that it is known how it ended. */
    async removeWaiting(chat: ChatOfBot): Promise<void> {
      const ofChat = sql`bot_id = ${chat.bot_id} and chat_id = ${chat.chat_id}`;
      // The counts of a broadcast follow changes of entries, and no deletions.
      const { rows } = await sql<{ id: number }>`
        update outbox set state = 'cancelled', settled_at = now()
        where ${ofChat} and state in ('scheduled', 'queued', 'held') returning id`.execute(db);
      await sql`delete from outbox where id = any (${rows.map(({ id }) => id)}::bigint[])`.execute(db);
      await sql`delete from questions where ${ofChat}`.execute(db);
    },

    /** The date of a chat's newest message, and whether it has more than `many` messages; null when it has none. */
    async sizeUp(chat: ChatOfBot, many: number): Promise<{ newestDate: number; isLarge: boolean } | null> {
      const { rows } = await sql<{ newestDate: number | null; isLarge: boolean }>`
        select max(date) as "newestDate", count(*) > ${many} as "isLarge"
        from (
          select date from messages where bot_id = ${chat.bot_id} and chat_id = ${chat.chat_id}
          order by date desc, id desc limit ${many + 1}
        ) as newest`.execute(db);
      const [row] = rows;
      return row === undefined || row.newestDate === null ? null : { ...row, newestDate: row.newestDate };
    },

    /** Removes a chat's messages dated at or after a date. */
    async removeMessagesFrom(chat: ChatOfBot, date: number): Promise<void> {
      await sql`
        delete from messages where bot_id = ${chat.bot_id} and chat_id = ${chat.chat_id} and date >= ${date}`.execute(
        db,
      );
    },
  };
}
