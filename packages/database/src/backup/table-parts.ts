import pg from 'pg';
import { readExpiredMonths } from './read-schema.ts';

/** Rows of a table that are copied together; `rows` is what a statement reads them from. */
export interface TablePart {
  name: string;
  rows: string;
}

/** The partitions of a table, or the table itself. Of an expired month, the messages that are still counted. */
export async function partsOf(client: pg.Client, table: string): Promise<TablePart[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass order by c.relname`,
    [table],
  );
  const names = rows.length === 0 ? [table] : rows.map(({ name }) => name);
  const parts = names.map((name) => ({ name, rows: pg.escapeIdentifier(name) }));
  return table === 'messages' ? [...parts, ...(await stillCounted(client))] : parts;
}

async function stillCounted(client: pg.Client): Promise<TablePart[]> {
  const months = await readExpiredMonths(client);
  return months.map((name) => ({
    name,
    rows: `${pg.escapeIdentifier(name)} where (bot_id, business_connection_id, chat_id, id, date) > (
      select after_bot, after_connection, after_chat, after_id, after_date from expired_months
      where name = ${pg.escapeLiteral(name)})`,
  }));
}

/** The dates (Unix seconds) between which a table has partitions for months; null: it has none. */
export async function readMonths(client: pg.Client, table: string): Promise<{ fromS: number; untilS: number } | null> {
  const { rows } = await client.query<{ from: string | null; until: string | null }>(
    `select min(substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \\(''?(-?\\d+)')::bigint) as from,
       max(substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\(''?(-?\\d+)')::bigint) as until
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass`,
    [table],
  );
  const { from = null, until = null } = rows[0] ?? {};
  return from === null || until === null ? null : { fromS: Number(from), untilS: Number(until) };
}
