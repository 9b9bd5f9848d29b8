import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';

/** Conditions that each choose a part of a table that one statement can look through; together they choose all of it. */
export type Portions = (db: Database, userId: number) => AsyncIterable<RawBuilder<boolean>>;

const ROWS = 5_000;
const JOURNAL_WINDOW = '10 minutes';

/** Chat by chat: the index of messages begins with bot and chat. */
export const messagesByChat: Portions = async function* (db, userId) {
  const { rows } = await sql<ChatOfBot>`
    select bot_id, chat_id from chat_users where user_id = ${userId}
    union select bot_id, chat_id from chat_authors where user_id = ${userId}
    union select id, ${userId}::bigint from bots
    where exists (select from messages where bot_id = bots.id and chat_id = ${userId})
    order by 1, 2`.execute(db);
  for (const { bot_id, chat_id } of rows) {
    const ofChat = sql<boolean>`bot_id = ${bot_id} and chat_id = ${chat_id}`;
    yield chat_id === userId ? ofChat : sql<boolean>`${ofChat} and user_id = ${userId}`;
  }
};

/** For rows that no index finds. */
export const byId = (table: 'dead_letters' | 'events' | 'questions'): Portions =>
  async function* (db) {
    for (let after = 0; ; ) {
      const { rows } = await sql<{ id: number }>`
      select id from ${sql.table(table)} where id > ${after} order by id limit 1 offset ${ROWS - 1}`.execute(db);
      const last = rows[0]?.id;
      yield sql<boolean>`id > ${after} and id <= ${last ?? Number.MAX_SAFE_INTEGER}`;
      if (last === undefined) return;
      after = last;
    }
  };

export const journalByTime: Portions = async function* (db) {
  const { rows } = await sql<{ from: Date; until: Date }>`
    select at as from, at + ${JOURNAL_WINDOW}::interval as until
    from (select min(newest_at) as first, max(newest_at) as last from journal_pages) as ends,
      generate_series(first, last, ${JOURNAL_WINDOW}::interval) as at`.execute(db);
  for (const { from, until } of rows) {
    yield sql<boolean>`newest_at >= ${from} and newest_at < ${until}`;
  }
};
