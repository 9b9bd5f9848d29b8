import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Database } from './connect.ts';
import { repeatOnLockTimeout } from './lock-timeout.ts';
import { type Partition, type PartitionRow, partitionsIn, SELECT_PARTITIONS } from './partition.ts';

/** Tables that are partitioned by the month (UTC) of their `date`. */
export const PARTITIONED_TABLES = ['messages', 'audit_log'] as const;
export type PartitionedTable = (typeof PARTITIONED_TABLES)[number];

const MONTHS_AHEAD = 1;
/** Other statements wait behind one that waits for this lock, so it gives up soon and is tried again. */
const LOCK_TIMEOUT_MS = 300;
const TRIES = 5;

/** The partitions of a table, the oldest first. */
export async function readPartitions(db: Database, table: PartitionedTable): Promise<Partition[]> {
  const { rows } = await db.executeQuery(CompiledQuery.raw(SELECT_PARTITIONS, [table]));
  return partitionsIn(rows as PartitionRow[]);
}

/** Makes the partitions of the present month and of some months ahead, in every partitioned table. */
export async function makeComingMonths(db: Database, nowS: number): Promise<void> {
  let lastS = nowS;
  for (let months = 0; months < MONTHS_AHEAD; months += 1) lastS = startOfNextMonthS(lastS);
  for (const table of PARTITIONED_TABLES) await makeMonths(db, table, nowS, lastS);
}

/** Makes the partitions of all months between two dates, both included. Rows that lie there already move into them. */
export async function makeMonths(db: Database, table: PartitionedTable, fromS: number, toS: number): Promise<void> {
  const [first, last] = [startOfMonthS(fromS), startOfNextMonthS(toS)];
  const { before, after } = edgesOf(table, await readPartitions(db, table));
  if (before.untilS <= first && last <= after.fromS) return;
  await lockedBriefly(() =>
    db.transaction().execute(async (transaction) => {
      await lockTable(transaction, table);
      const edges = edgesOf(table, await readPartitions(transaction, table));
      if (first < edges.before.untilS)
        await splitEdge(transaction, table, edges.before.name, first, edges.before.untilS);
      if (last > edges.after.fromS) await splitEdge(transaction, table, edges.after.name, edges.after.fromS, last);
    }),
  );
}

/**
 * Takes the oldest month out of its table if all its rows are dated before `beforeS`; null: there is none. Its rows are in no
 * query any more, and its table remains. Needs a transaction, and fails with "lock timeout" on a busy table: see lockedBriefly.
 */
export async function detachOldestMonth(
  db: Database,
  table: PartitionedTable,
  beforeS: number,
): Promise<{ name: string; untilS: number } | null> {
  if (oldestMonth(await readPartitions(db, table), beforeS) === null) return null;
  await lockTable(db, table);
  const partitions = await readPartitions(db, table);
  const month = oldestMonth(partitions, beforeS);
  if (month === null) return null;
  const { before } = edgesOf(table, partitions);
  await detach(db, table, before.name);
  await detach(db, table, month.name);
  // A late row of that month goes to the partition before it.
  await attach(db, table, { name: before.name, fromS: null, untilS: month.untilS });
  return month;
}

/** Merges the words that wait in the index of words, which every search reads one by one. */
export async function mergeSearchWords(db: Database): Promise<void> {
  await sql`
    select gin_clean_pending_list(inhrelid) from pg_inherits where inhparent = 'messages_search'::regclass`.execute(db);
}

/** Repeats work that could not get its lock within moments. */
export function lockedBriefly<Result>(work: () => Promise<Result>): Promise<Result> {
  return repeatOnLockTimeout(TRIES, work);
}

function oldestMonth(partitions: Partition[], beforeS: number): { name: string; untilS: number } | null {
  const month = partitions[1];
  if (month === undefined || month.untilS === null || month.untilS > beforeS) return null;
  return { name: month.name, untilS: month.untilS };
}

type Edges = { before: { name: string; untilS: number }; after: { name: string; fromS: number } };

function edgesOf(table: string, partitions: Partition[]): Edges {
  const [before, after] = [partitions[0], partitions.at(-1)];
  if (before?.fromS !== null || before.untilS === null || after?.untilS !== null || after.fromS === null) {
    throw new Error(`${table} lacks its first or its last partition`);
  }
  return { before: { name: before.name, untilS: before.untilS }, after: { name: after.name, fromS: after.fromS } };
}

async function lockTable(db: Database, table: PartitionedTable): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(db);
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(db);
}

/** Cuts the months from `fromS` to `untilS` off the first or the last partition. */
async function splitEdge(
  db: Database,
  table: PartitionedTable,
  edge: string,
  fromS: number,
  untilS: number,
): Promise<void> {
  const isFirst = edge.endsWith('_before');
  await detach(db, table, edge);
  const columns = await writtenColumns(db, table);
  for (let at = fromS; at < untilS; at = startOfNextMonthS(at)) {
    const month = { name: `${table}_${nameOfMonth(at)}`, fromS: at, untilS: startOfNextMonthS(at) };
    await sql`create table ${sql.table(month.name)} partition of ${sql.table(table)} ${bounds(month)}`.execute(db);
    await sql`
      with moved as (
        delete from ${sql.table(edge)} where date >= ${month.fromS} and date < ${month.untilS} returning ${columns}
      )
      insert into ${sql.table(month.name)} (${columns}) select * from moved`.execute(db);
  }
  await attach(
    db,
    table,
    isFirst ? { name: edge, fromS: null, untilS: fromS } : { name: edge, fromS: untilS, untilS: null },
  );
}

/** All columns but those that Postgres generates. */
async function writtenColumns(db: Database, table: string): Promise<RawBuilder<unknown>> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`.execute(db);
  return sql.join(rows.map(({ name }) => sql.ref(name)));
}

async function detach(db: Database, table: PartitionedTable, name: string): Promise<void> {
  await sql`alter table ${sql.table(table)} detach partition ${sql.table(name)}`.execute(db);
}

async function attach(db: Database, table: PartitionedTable, partition: Partition): Promise<void> {
  await sql`
    alter table ${sql.table(table)} attach partition ${sql.table(partition.name)} ${bounds(partition)}`.execute(db);
}

// The statement takes no parameters.
function bounds({ fromS, untilS }: Partition) {
  return sql.raw(`for values from (${fromS ?? 'minvalue'}) to (${untilS ?? 'maxvalue'})`);
}

/** The first second of the month (UTC) of a date. */
function startOfMonthS(atS: number): number {
  const at = new Date(atS * 1000);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth()) / 1000;
}

function startOfNextMonthS(atS: number): number {
  const at = new Date(atS * 1000);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1) / 1000;
}

function nameOfMonth(atS: number): string {
  return new Date(atS * 1000).toISOString().slice(0, 7).replace('-', '_');
}
