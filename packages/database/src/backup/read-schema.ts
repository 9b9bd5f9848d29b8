import type pg from 'pg';

/** The migrations that a database has, in order; an empty list when it has none of our tables. */
export async function readMigrations(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query(`select to_regclass('kysely_migration') as name`);
  if (found[0]?.name === null) return [];
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map((row) => row.name);
}

/** The tables of our schema, except those that record migrations. */
export async function readTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname not like 'kysely_%'
    order by relname`);
  return rows.map((row) => row.name);
}

export async function readColumns(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  return rows.map((row) => row.name);
}

/** The last value that each sequence has given out, or 0 when it gave out none. */
export async function readSequences(client: pg.Client): Promise<{ name: string; last: number }[]> {
  const { rows } = await client.query<{ name: string; last: string }>(`
    select sequencename as name, coalesce(last_value, 0) as last from pg_sequences
    where schemaname = current_schema() order by sequencename`);
  return rows.map(({ name, last }) => ({ name, last: Number(last) }));
}

/** The ids of the keys that sealed something. */
export async function readKeyIds(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(`
    select distinct split_part(sealed, '.', 2) as id
    from (
      select unnest(array[token_sealed, secret_token_sealed, backend_url_sealed, signing_sealed]) as sealed from bots
      union all
      select unnest(array[backend_url_sealed, secret_token_sealed, signing_sealed]) from programs) as texts
    where sealed <> '' order by 1`);
  return rows.map((row) => row.id);
}

/** The indexes that belong to no constraint, with their definitions. */
export async function readPlainIndexes(client: pg.Client): Promise<{ name: string; definition: string }[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace
      and not exists (select from pg_constraint where conindid = i.indexrelid)
    order by c.relname`);
  return rows;
}
