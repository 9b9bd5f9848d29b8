import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

/** A group that became a supergroup, as one bot sees it. */
export type GroupMove = { bot_id: number; fromChatId: number; toChatId: number };

/** How many stored ids of a kind followed. */
export type Followed = Record<
  'rules' | 'filters' | 'tokens' | 'keys' | 'sinks' | 'tags' | 'notes' | 'people' | 'sends' | 'audiences' | 'bindings',
  number
>;

type ChatIds = { chat_ids?: number[] };

/** SQL of a group's move; `db` should be a transaction. */
export function movedGroupStore(db: Database) {
  return {
    async isKnown({ bot_id, fromChatId, toChatId }: GroupMove): Promise<boolean> {
      const chat = db.selectFrom('chats').select('migrated_to_chat_id').where('bot_id', '=', bot_id);
      const found = await chat.where('id', '=', fromChatId).executeTakeFirst();
      return found?.migrated_to_chat_id === toChatId;
    },

    /** Locks the bot, and the bots with rules that send to the group by it. False: the bot is gone. */
    async lockBots({ bot_id, fromChatId }: GroupMove): Promise<boolean> {
      const { rows } = await sql<{ id: number }>`
        select id from bots where id = ${bot_id} or id in (
          select source_bot_id from routes where target_bot_id = ${bot_id} and target_chat_id = ${fromChatId})
        order by id for no key update`.execute(db);
      return rows.some(({ id }) => id === bot_id);
    },

    /** Lets the group point to its supergroup, and makes a row for each that has none. False: it did so before. */
    async point({ bot_id, fromChatId, toChatId }: GroupMove): Promise<boolean> {
      const { rows } = await sql`
        insert into chats (bot_id, id, type, migrated_to_chat_id) values (${bot_id}, ${fromChatId}, 'group', ${toChatId})
        on conflict (bot_id, id) do update set migrated_to_chat_id = excluded.migrated_to_chat_id, updated_at = now()
        where chats.migrated_to_chat_id is distinct from excluded.migrated_to_chat_id
        returning id`.execute(db);
      if (rows.length === 0) return false;
      await sql`
        insert into chats (bot_id, id, type, title, search_name, assigned_to)
        select bot_id, ${toChatId}, 'supergroup', title, search_name, assigned_to from chats
        where bot_id = ${bot_id} and id = ${fromChatId}
        on conflict (bot_id, id) do update set assigned_to = coalesce(chats.assigned_to, excluded.assigned_to)`.execute(
        db,
      );
      return true;
    },

    /** Rules of the bot about the group, and rules that send to it by the bot. Returns their source bots. */
    async moveRules({ bot_id, fromChatId, toChatId }: GroupMove): Promise<number[]> {
      const isAbout = sql`source_bot_id = ${bot_id} and condition_type in ('chat_id', 'thread_id')
        and btrim(split_part(condition_value, ':', 1)) = ${String(fromChatId)}`;
      const { rows } = await sql<{ botId: number }>`
        update routes set
          condition_value = case when not (${isAbout}) then condition_value when condition_type = 'chat_id'
            then ${String(toChatId)} else ${`${toChatId}:`} || split_part(condition_value, ':', 2) end,
          target_chat_id = case when target_bot_id = ${bot_id} and target_chat_id = ${fromChatId}
            then ${toChatId}::bigint else target_chat_id end
        where ${isAbout}
          or target_bot_id = ${bot_id} and target_chat_id = ${fromChatId}
        returning source_bot_id as "botId"`.execute(db);
      return rows.map((row) => row.botId);
    },

    async moveFilters({ bot_id, fromChatId, toChatId }: GroupMove): Promise<number> {
      const programs = await db.selectFrom('programs').select(['id', 'filter']).where('bot_id', '=', bot_id).execute();
      let moved = 0;
      for (const { id, filter } of programs) {
        const { chat_ids: chats, ...others } = JSON.parse(filter) as ChatIds;
        if (!chats?.includes(fromChatId)) continue;
        const changed = JSON.stringify({ ...others, chat_ids: replaced(chats, fromChatId, toChatId) });
        await db.updateTable('programs').set({ filter: changed }).where('id', '=', id).execute();
        moved += 1;
      }
      return moved;
    },

    /** The bound group stays bound as its supergroup; publishing it has both in force. */
    async moveBindings({ bot_id, fromChatId, toChatId }: GroupMove): Promise<number> {
      await sql`
        insert into program_chats (program_id, bot_id, chat_id, revision, user_id, user_name, bound_at)
        select program_id, bot_id, ${toChatId}, revision, user_id, user_name, bound_at from program_chats
        where bot_id = ${bot_id} and chat_id = ${fromChatId}
        on conflict (program_id, chat_id) do nothing`.execute(db);
      const moved = db.deleteFrom('program_chats').where('bot_id', '=', bot_id).where('chat_id', '=', fromChatId);
      return Number((await moved.executeTakeFirst()).numDeletedRows);
    },

    async moveTokens({ bot_id, fromChatId, toChatId }: GroupMove): Promise<number> {
      const tokens = await db
        .selectFrom('program_tokens as t')
        .innerJoin('programs as p', 'p.id', 't.program_id')
        .select(['t.id', 't.chats'])
        .where('p.bot_id', '=', bot_id)
        .where('t.chats', 'is not', null)
        .execute();
      let moved = 0;
      for (const { id, chats } of tokens) {
        const ids = JSON.parse(chats ?? '[]') as number[];
        if (!ids.includes(fromChatId)) continue;
        const changed = JSON.stringify(replaced(ids, fromChatId, toChatId));
        await db.updateTable('program_tokens').set({ chats: changed }).where('id', '=', id).execute();
        moved += 1;
      }
      return moved;
    },

    /** Keys for MCP may also see the supergroup; what was written in the group stays readable. Known within a minute. */
    async moveKeys({ bot_id, fromChatId, toChatId }: GroupMove): Promise<number> {
      const chat = (id: number) =>
        sql`jsonb_build_array(jsonb_build_object('bot_id', ${bot_id}::bigint, 'chat_id', ${id}::bigint))`;
      const { numAffectedRows } = await sql`
        update api_keys set mcp_chats = mcp_chats || ${chat(toChatId)}
        where mcp_chats @> ${chat(fromChatId)} and not mcp_chats @> ${chat(toChatId)}`.execute(db);
      return Number(numAffectedRows);
    },

    /** Events that the bot writes into the group go on in the supergroup. */
    async moveSinks({ bot_id, fromChatId, toChatId }: GroupMove): Promise<number> {
      const moved = await db
        .updateTable('event_sinks')
        .set({ chat_id: toChatId })
        .where('bot_id', '=', bot_id)
        .where('chat_id', '=', fromChatId)
        .executeTakeFirst();
      return Number(moved.numUpdatedRows);
    },

    /** Entries that wait for the group go to the supergroup. Those that are being sent hold them back there. */
    async moveSends({ bot_id, fromChatId, toChatId }: GroupMove): Promise<number> {
      // A broadcast writes once to the supergroup, also if it was about to write to both.
      const { numAffectedRows } = await sql`
        update outbox set chat_id = ${toChatId}
        where bot_id = ${bot_id} and chat_id = ${fromChatId} and settled_at is null and not exists (
          select from outbox there where there.broadcast_id = outbox.broadcast_id and there.chat_id = ${toChatId})`.execute(
        db,
      );
      return Number(numAffectedRows ?? 0);
    },

    /** Broadcasts that name the group and have not reached it yet. */
    async moveAudiences({ bot_id, fromChatId, toChatId }: GroupMove): Promise<number> {
      const { numAffectedRows } = await sql`
        update broadcasts set audience = jsonb_set(audience, '{chat_ids}', (
          select jsonb_agg(distinct case when chat = to_jsonb(${fromChatId}::bigint) then to_jsonb(${toChatId}::bigint) else chat end)
          from jsonb_array_elements(audience -> 'chat_ids') as named (chat)))
        where bot_id = ${bot_id} and ended_at is null and not made
          and audience -> 'chat_ids' @> to_jsonb(${fromChatId}::bigint)`.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /**
     * Takes people, tags, notes and read markers along; doing so again adds what came since. Messages stay: the supergroup has a
     * counter of its own, so their ids would meet.
     */
    async movePeople({
      bot_id,
      fromChatId,
      toChatId,
    }: GroupMove): Promise<Pick<Followed, 'people' | 'tags' | 'notes'>> {
      const people = await sql`
        insert into chat_users (bot_id, chat_id, user_id, username, first_name, last_name, is_bot, last_seen_at, search,
          language_code)
        select bot_id, ${toChatId}, user_id, username, first_name, last_name, is_bot, last_seen_at, search, language_code
        from chat_users where bot_id = ${bot_id} and chat_id = ${fromChatId}
        on conflict (bot_id, chat_id, user_id) do nothing`.execute(db);
      const tags = await sql`
        update tags set chat_id = ${toChatId}
        where bot_id = ${bot_id} and chat_id = ${fromChatId} and not exists (
          select from tags there where there.bot_id = tags.bot_id and there.chat_id = ${toChatId}
            and there.user_id = tags.user_id and there.tag = tags.tag)`.execute(db);
      const notes = await sql`
        update notes set chat_id = ${toChatId} where bot_id = ${bot_id} and chat_id = ${fromChatId}`.execute(db);
      // The date decides what is unread: no message of the supergroup is older.
      await sql`
        insert into chat_reads (account_id, bot_id, chat_id, message_id, message_date)
        select account_id, bot_id, ${toChatId}, 0, message_date from chat_reads
        where bot_id = ${bot_id} and chat_id = ${fromChatId}
        on conflict (account_id, bot_id, chat_id) do nothing`.execute(db);
      const [moved, tagged, noted] = [people, tags, notes].map(({ numAffectedRows }) => Number(numAffectedRows));
      return { people: moved!, tags: tagged!, notes: noted! };
    },
  };
}

function replaced(ids: number[], from: number, to: number): number[] {
  return [...new Set(ids.map((id) => (id === from ? to : id)))];
}
