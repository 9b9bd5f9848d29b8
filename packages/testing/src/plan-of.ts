import type { Database } from '@flotilla/database/connect.ts';
import { type Compilable, sql } from 'kysely';

/**
 * The plan of a statement as JSON, in which partitions and their indexes have the names of the tables and indexes that they belong
 * to. Partitions without rows, which Postgres reads as it likes, keep their names.
 */
export async function planOf(db: Database, statement: Compilable<unknown>, options = 'format json'): Promise<string> {
  const compiled = statement.compile();
  const { rows } = await db.executeQuery({ ...compiled, sql: `explain (${options}) ${compiled.sql}` });
  const names = await namesOfParents(db);
  return JSON.stringify(rows).replaceAll(/"(Index|Relation) Name":"(\w+)"/g, (_, what: string, name: string) => {
    return `"${what} Name":"${names.get(name) ?? name}"`;
  });
}

async function namesOfParents(db: Database): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; parent: string }>`
    select c.relname as name, p.relname as parent
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    left join pg_index x on x.indexrelid = c.oid
    where pg_relation_size(coalesce(x.indrelid, c.oid)) > 0`.execute(db);
  return new Map(rows.map(({ name, parent }) => [name, parent]));
}
