import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

type Column = { table: string; name: string; type: string; isRequired: boolean };
type Values = Record<string, unknown>;

/** The columns of every table that has something of bots. */
export async function columnsOfBots(db: Database): Promise<Map<string, Column[]>> {
  const { rows } = await sql<Column>`
    select c.table_name as table, c.column_name as name, c.data_type as type,
      c.is_nullable = 'NO' and c.column_default is null and c.is_identity = 'NO' and c.is_generated = 'NEVER' as "isRequired"
    from information_schema.columns c
    where c.table_schema = current_schema() and exists (
      select from pg_class where oid = format('%I', c.table_name)::regclass and relkind in ('r', 'p') and not relispartition
    )
    order by c.table_name, c.ordinal_position`.execute(db);
  const tables = Map.groupBy(rows, ({ table }) => table);
  const ofBots = ([table, columns]: [string, Column[]]) => table !== 'bots' && columns.some(isOfBot);
  return new Map([...tables].filter(ofBots));
}

export function isOfBot({ name }: { name: string }): boolean {
  return /(^|_)bot_id$/.test(name);
}

/**
 * Puts rows into every table that has something of bots, each with the values of `valuesOf` and, where these leave out a required column,
 * with one of its type. What they refer to need not be there. A new table is filled likewise, or it throws.
 */
export async function fillTables(
  db: Database,
  botId: number,
  rows: number,
  valuesOf: Record<string, (row: number) => Values>,
): Promise<void> {
  for (const [table, columns] of await columnsOfBots(db)) {
    await db.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction);
      for (let row = 1; row <= rows; row += 1) {
        await insertRow(transaction, table, { ...requiredOf(columns, botId, row), ...valuesOf[table]?.(row) });
      }
    });
  }
}

function requiredOf(columns: Column[], botId: number, row: number): Values {
  const given = columns.filter((column) => column.isRequired || isOfBot(column));
  return Object.fromEntries(given.map((column) => [column.name, isOfBot(column) ? botId : defaultOf(column, row)]));
}

function defaultOf({ name, type }: Column, row: number): unknown {
  if (type.startsWith('timestamp')) return new Date(Date.now() + row);
  if (type === 'jsonb') return '{}';
  if (type === 'boolean') return false;
  if (type === 'bytea') return Buffer.from('x');
  if (type !== 'bigint' && type !== 'integer') return `ours ${row}`;
  return name === 'date' || name.endsWith('_date') ? Math.floor(Date.now() / 1000) : row;
}

async function insertRow(db: Database, table: string, values: Values): Promise<void> {
  const columns = Object.entries(values);
  const names = sql.join(columns.map(([name]) => sql.ref(name)));
  const inserted = sql`insert into ${sql.table(table)} (${names}) values (${sql.join(columns.map(([, value]) => value))})`;
  await inserted.execute(db).catch((cause: unknown) => {
    throw new Error(`${table} cannot be filled: ${cause}`, { cause });
  });
}
