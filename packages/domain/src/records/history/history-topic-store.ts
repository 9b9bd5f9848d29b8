import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import type { FoldedTopic } from './effects/history-fold.ts';
import { unnestRows } from './unnest-rows.ts';

type ChatOfBot = { bot_id: number; chat_id: number };

/** The history writer's statements about topics, for many rows; `db` may be a transaction. */
export function historyTopicStore(db: Database) {
  return {
    /** Adds topics, notes their newest message, and applies changes. How a topic was made never replaces what is known. */
    async upsertTopics(topics: FoldedTopic[]): Promise<void> {
      const changed = topics.filter((topic) => topic.changed !== null);
      const given = await unnestRows(topics, [
        ['bigint', (topic) => topic.bot_id],
        ['bigint', (topic) => topic.chat_id],
        ['bigint', (topic) => topic.threadId],
        ['text', ({ made }) => made.name ?? null],
        ['int', ({ made }) => made.iconColor ?? null],
        ['text', ({ made }) => made.iconEmoji ?? null],
        ['bigint', (topic) => topic.messageAtS ?? 0],
      ]);
      await sql`
        insert into topics as t (bot_id, chat_id, thread_id, name, icon_color, icon_custom_emoji_id, last_date)
        select * from ${given} as g
        on conflict (bot_id, chat_id, thread_id) do update set
          name = coalesce(t.name, excluded.name), icon_color = coalesce(t.icon_color, excluded.icon_color),
          icon_custom_emoji_id = coalesce(t.icon_custom_emoji_id, excluded.icon_custom_emoji_id),
          last_date = greatest(t.last_date, excluded.last_date)
        where excluded.last_date > t.last_date or t.name is null and excluded.name is not null
          or t.icon_color is null and excluded.icon_color is not null
          or t.icon_custom_emoji_id is null and excluded.icon_custom_emoji_id is not null`.execute(db);
      if (changed.length > 0) await change(db, changed);
    },

    /** Those of the chats that are supergroups with topics. */
    async findForums(chats: ChatOfBot[]): Promise<ChatOfBot[]> {
      const wanted = await unnestRows(chats, [
        ['bigint', (chat) => chat.bot_id],
        ['bigint', (chat) => chat.chat_id],
      ]);
      const { rows } = await sql<ChatOfBot>`
        select t.bot_id, t.chat_id from ${wanted} as wanted (bot_id, chat_id)
        join topics t on t.bot_id = wanted.bot_id and t.chat_id = wanted.chat_id and t.thread_id = 1`.execute(db);
      return rows;
    },
  };
}

async function change(db: Database, topics: FoldedTopic[]): Promise<void> {
  const given = await unnestRows(topics, [
    ['bigint', (topic) => topic.bot_id],
    ['bigint', (topic) => topic.chat_id],
    ['bigint', (topic) => topic.threadId],
    ['text', ({ changed }) => changed?.name ?? null],
    ['text', ({ changed }) => changed?.iconEmoji ?? null],
    ['boolean', ({ changed }) => changed?.closed ?? null],
    ['boolean', ({ changed }) => changed?.deleted ?? null],
  ]);
  await sql`
    update topics t set name = coalesce(g.name, t.name), closed = coalesce(g.closed, t.closed),
      icon_custom_emoji_id = coalesce(g.emoji, t.icon_custom_emoji_id), deleted = coalesce(g.deleted, t.deleted)
    from ${given} as g (bot_id, chat_id, thread_id, name, emoji, closed, deleted)
    where t.bot_id = g.bot_id and t.chat_id = g.chat_id and t.thread_id = g.thread_id`.execute(db);
}
