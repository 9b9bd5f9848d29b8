import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

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
      const after = await months.executeTakeFirstOrThrow();
      const part = sql`
        part as materialized (
          select m.bot_id, m.business_connection_id, m.chat_id, m.id, m.date, m.user_id,
            m.user_id is not null and not m.outgoing and m.deleted_at is null as is_of_author,
            m.deleted_at is null and not exists (
              select from deletions d where d.bot_id = m.bot_id and d.chat_id = m.chat_id and m.date < d.before_date
            ) as is_of_chat
          from ${sql.table(name)} m
          where (m.bot_id, m.business_connection_id, m.chat_id, m.id, m.date) > (${after.after_bot}::bigint,
            ${after.after_connection}::text, ${after.after_chat}::bigint, ${after.after_id}::bigint, ${after.after_date}::bigint)
          order by 1, 2, 3, 4, 5 limit ${limit}
        )`;
      await subtractAuthors(db, part);
      await sql`
        with ${part}, counted as (
          select bot_id, chat_id, count(*) as count from part where is_of_chat group by 1, 2
        ), locked as materialized (
          select c.bot_id, c.id, counted.count from chats c join counted on c.bot_id = counted.bot_id and c.id = counted.chat_id
          order by c.bot_id, c.id for no key update of c
        )
        update chats c set message_count = greatest(c.message_count - locked.count, 0)
        from locked where c.bot_id = locked.bot_id and c.id = locked.id`.execute(db);
      const { numAffectedRows } = await sql`
        with ${part}, last as (
          select bot_id, business_connection_id, chat_id, id, date from part order by 1 desc, 2 desc, 3 desc, 4 desc, 5 desc limit 1
        )
        update expired_months set after_bot = last.bot_id, after_connection = last.business_connection_id,
          after_chat = last.chat_id, after_id = last.id, after_date = last.date
        from last where name = ${name}`.execute(db);
      return numAffectedRows !== undefined && numAffectedRows > 0n;
    },

    async drop(name: string): Promise<void> {
      await sql`drop table ${sql.table(name)}`.execute(db);
      await db.deleteFrom('expired_months').where('name', '=', name).execute();
    },
  };
}

/** What the trigger of a deletion does. Rows are locked in the order of their keys, as writers of history do. */
async function subtractAuthors(db: Database, part: ReturnType<typeof sql>): Promise<void> {
  const counted = sql`
    ${part}, counted as (
      select bot_id, chat_id, user_id, count(*) as count from part where is_of_author group by 1, 2, 3
    )`;
  await sql`
    with ${counted}, locked as materialized (
      select a.bot_id, a.chat_id, a.user_id, counted.count from chat_authors a
      join counted on a.bot_id = counted.bot_id and a.chat_id = counted.chat_id and a.user_id = counted.user_id
      order by a.bot_id, a.chat_id, a.user_id for no key update of a
    )
    update chat_authors a set message_count = a.message_count - locked.count
    from locked where a.bot_id = locked.bot_id and a.chat_id = locked.chat_id and a.user_id = locked.user_id`.execute(
    db,
  );
  await sql`
    with ${counted}
    delete from chat_authors a using counted
    where a.bot_id = counted.bot_id and a.chat_id = counted.chat_id and a.user_id = counted.user_id
      and a.message_count <= 0`.execute(db);
}
