import type { Database } from '@flotilla/database/connect.ts';
import type { ExpiredMonthsTable } from '@flotilla/database/upkeep-tables.ts';
import { type Selectable, sql } from 'kysely';
import { unnestRows } from '../history/unnest-rows.ts';

/**
 * SQL of months of messages that were taken out of their table. The counts of their chats and authors are subtracted in the order
 * of the messages' key, then the month is dropped.
 */
export function expiredMonthStore(db: Database) {
  return {
    async add({ name, untilS }: { name: string; untilS: number }): Promise<void> {
      await db.insertInto('expired_months').values({ name, until_date: untilS }).execute();
    },

    async first(): Promise<string | null> {
      const month = db.selectFrom('expired_months').select('name').orderBy('until_date').limit(1);
      return (await month.executeTakeFirst())?.name ?? null;
    },

    /** The date (Unix seconds) before which all rows of such months are dated; null: there is none. */
    async untilDate(): Promise<number | null> {
      const months = db
        .selectFrom('expired_months')
        .select((row) => row.fn.max<number | null>('until_date').as('until'));
      return (await months.executeTakeFirstOrThrow()).until;
    },

    /** Subtracts up to `limit` further messages of a month. Returns false when none was left. */
    async subtractNext(name: string, limit: number): Promise<boolean> {
      const months = db.selectFrom('expired_months').selectAll().where('name', '=', name);
      const month = await months.executeTakeFirstOrThrow();
      const counted = await countNext(db, month, limit);
      if (counted[0] === undefined) return false;
      await subtractAuthors(db, counted);
      await subtractChats(db, counted, month.until_date);
      await subtractBusinessChats(db, counted, month.until_date);
      const { lastBot, lastConnection, lastChat, lastId, lastDate } = counted[0];
      await db
        .updateTable('expired_months')
        .set({
          after_bot: lastBot,
          after_connection: lastConnection,
          after_chat: lastChat,
          after_id: lastId,
          after_date: lastDate,
        })
        .where('name', '=', name)
        .execute();
      return true;
    },

    async drop(name: string): Promise<void> {
      await sql`drop table ${sql.table(name)}`.execute(db);
      await db.deleteFrom('expired_months').where('name', '=', name).execute();
    },
  };
}

/** Messages of one author in a chat, by what they are counted for; and the key of the last message that was read. */
type Counted = {
  bot_id: number;
  business_connection_id: string;
  chat_id: number;
  user_id: number | null;
  ofAuthor: number;
  ofChat: number;
  lastBot: number;
  lastConnection: string;
  lastChat: number;
  lastId: number;
  lastDate: number;
};

/** Counts the next messages in the order of their key. */
async function countNext(db: Database, month: Selectable<ExpiredMonthsTable>, limit: number): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    with part as materialized (
      select m.bot_id, m.business_connection_id, m.chat_id, m.id, m.date, m.user_id,
        m.user_id is not null and not m.outgoing and m.deleted_at is null as is_of_author,
        m.deleted_at is null and not exists (
          select from deletions d where d.bot_id = m.bot_id and d.chat_id = m.chat_id and m.date < d.before_date
        ) as is_of_chat
      from ${sql.table(month.name)} m
      where (m.bot_id, m.business_connection_id, m.chat_id, m.id, m.date) > (${month.after_bot}::bigint,
        ${month.after_connection}::text, ${month.after_chat}::bigint, ${month.after_id}::bigint, ${month.after_date}::bigint)
      order by 1, 2, 3, 4, 5 limit ${limit}
    ), last as (
      select bot_id, business_connection_id, chat_id, id, date from part order by 1 desc, 2 desc, 3 desc, 4 desc, 5 desc limit 1
    )
    select p.bot_id, p.business_connection_id, p.chat_id,
      p.user_id,
      count(*) filter (where p.is_of_author) as "ofAuthor", count(*) filter (where p.is_of_chat) as "ofChat",
      l.bot_id as "lastBot", l.business_connection_id as "lastConnection", l.chat_id as "lastChat", l.id as "lastId",
      l.date as "lastDate"
    from part p cross join last l
    group by p.bot_id, p.business_connection_id, p.chat_id, p.user_id, l.bot_id, l.business_connection_id, l.chat_id, l.id, l.date`.execute(
    db,
  );
  return rows;
}

/** Subtracts as the trigger of a deletion does. Rows are locked in the order of their keys, as writers of history do. */
async function subtractAuthors(db: Database, counted: Counted[]): Promise<void> {
  const authors = await unnestRows(
    counted.filter(({ ofAuthor }) => ofAuthor > 0),
    [
      ['bigint', ({ bot_id }) => bot_id],
      ['bigint', ({ chat_id }) => chat_id],
      ['bigint', ({ user_id }) => user_id],
      ['bigint', ({ ofAuthor }) => ofAuthor],
    ],
  );
  const given = sql`${authors} as counted (bot_id, chat_id, user_id, count)`;
  await sql`
    with locked as materialized (
      select a.bot_id, a.chat_id, a.user_id, counted.count from chat_authors a
      join ${given} on a.bot_id = counted.bot_id and a.chat_id = counted.chat_id and a.user_id = counted.user_id
      order by a.bot_id, a.chat_id, a.user_id for no key update of a
    )
    update chat_authors a set message_count = a.message_count - locked.count
    from locked where a.bot_id = locked.bot_id and a.chat_id = locked.chat_id and a.user_id = locked.user_id`.execute(
    db,
  );
  await sql`
    delete from chat_authors a using ${given}
    where a.bot_id = counted.bot_id and a.chat_id = counted.chat_id and a.user_id = counted.user_id
      and a.message_count <= 0`.execute(db);
}

/** A chat that was deleted since its messages were counted has begun anew: deleteChat says so up to the end of the month. */
async function subtractChats(db: Database, counted: Counted[], untilDate: number): Promise<void> {
  const chats = await unnestRows(
    counted.filter(({ ofChat }) => ofChat > 0),
    [
      ['bigint', ({ bot_id }) => bot_id],
      ['bigint', ({ chat_id }) => chat_id],
      ['bigint', ({ ofChat }) => ofChat],
    ],
  );
  await sql`
    with counted as (
      select bot_id, chat_id, sum(count)::bigint as count from ${chats} as given (bot_id, chat_id, count) group by 1, 2
    ), locked as materialized (
      select c.bot_id, c.id, counted.count from chats c join counted on c.bot_id = counted.bot_id and c.id = counted.chat_id
      where not exists (
        select from deletions d where d.bot_id = c.bot_id and d.chat_id = c.id and d.before_date >= ${untilDate}
      )
      order by c.bot_id, c.id for no key update of c
    )
    update chats c set message_count = greatest(c.message_count - locked.count, 0)
    from locked where c.bot_id = locked.bot_id and c.id = locked.id`.execute(db);
}

async function subtractBusinessChats(db: Database, counted: Counted[], untilDate: number): Promise<void> {
  const ofBusiness = counted.filter(
    ({ ofChat, business_connection_id }) => ofChat > 0 && business_connection_id !== '',
  );
  if (ofBusiness.length === 0) return;
  const chats = await unnestRows(ofBusiness, [
    ['bigint', ({ bot_id }) => bot_id],
    ['bigint', ({ chat_id }) => chat_id],
    ['text', ({ business_connection_id }) => business_connection_id],
    ['bigint', ({ ofChat }) => ofChat],
  ]);
  await sql`
    with counted as (
      select bot_id, chat_id, business_connection_id, sum(count)::bigint as count
      from ${chats} as given (bot_id, chat_id, business_connection_id, count) group by 1, 2, 3
    ), locked as materialized (
      select b.bot_id, b.chat_id, b.business_connection_id, counted.count
      from business_chats b join counted using (bot_id, chat_id, business_connection_id)
      where not exists (
        select from deletions d where d.bot_id = b.bot_id and d.chat_id = b.chat_id and d.before_date >= ${untilDate}
      )
      order by 1, 2, 3 for no key update of b
    )
    update business_chats b set message_count = greatest(b.message_count - locked.count, 0)
    from locked where b.bot_id = locked.bot_id and b.chat_id = locked.chat_id
      and b.business_connection_id = locked.business_connection_id`.execute(db);
}
