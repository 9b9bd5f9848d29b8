import type pg from 'pg';

/** The migrations that a database has, in order; an empty list when it has none of our tables. */
export async function readMigrations(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query(`select to_regclass('kysely_migration') as name`);
  if (found[0]?.name === null) return [];
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map((row) => row.name);
}

/** The tables of our schema, except partitions and those that record migrations, a restore or expired months. */
export async function readTables(client: pg.Client): Promise<string[]> {
  const expired = (await readExpiredMonths(client)).map(({ name }) => name);
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname not like 'kysely_%' and relname <> all ($1)
     order by relname`,
    [[...expired, 'expired_months', 'restore_progress']],
  );
  return rows.map((row) => row.name);
}

export type ExpiredMonth = { name: string; untilS: number };

/** The tables of months of messages that retention has taken out and not dropped yet. */
export async function readExpiredMonths(client: pg.Client): Promise<ExpiredMonth[]> {
  const { rows: found } = await client.query(`select to_regclass('expired_months') as name`);
  if (found[0]?.name === null) return [];
  const { rows } = await client.query<{ name: string; until: string }>(
    'select name, until_date as until from expired_months order by until_date',
  );
  return rows.map(({ name, until }) => ({ name, untilS: Number(until) }));
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
      select unnest(array[token_sealed, secret_token_sealed, backend_url_sealed, signing_sealed, template_sealed]) as sealed
        from bots
      union all
      select unnest(array[backend_url_sealed, secret_token_sealed, signing_sealed]) from programs union all
      select unnest(array[url_sealed, signing_sealed]) from event_sinks) as texts
    where sealed <> '' order by 1`);
  return rows.map((row) => row.id);
}

export interface PlainIndex {
  name: string;
  definition: string;
  /** True if it belongs to a partitioned table, or to a partition. */
  on: 'table' | 'partitioned' | 'partition';
}

/** The indexes that belong to no constraint, with their definitions. */
export async function readPlainIndexes(client: pg.Client): Promise<PlainIndex[]> {
  const { rows } = await client.query<PlainIndex>(`
    select c.relname as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition,
      case when c.relkind = 'I' then 'partitioned' when c.relispartition then 'partition' else 'table' end as on
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace
      and not exists (select from pg_constraint where conindid = i.indexrelid)
    order by c.relname`);
  return rows;
}

/** Which tables the foreign keys of a table refer to, by table. */
export async function readReferences(client: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ name: string; refers: string[] }>(`
    select t.relname as name, array_agg(distinct r.relname)::text[] as refers
    from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_class r on r.oid = c.confrelid
    where c.contype = 'f' and t.relnamespace = current_schema()::regnamespace and c.conrelid <> c.confrelid
    group by 1`);
  return new Map(rows.map(({ name, refers }) => [name, refers]));
}
