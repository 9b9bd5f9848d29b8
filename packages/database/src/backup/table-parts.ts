import pg from 'pg';
import { type Partition, type PartitionRow, partitionsIn, SELECT_PARTITIONS } from '../partition.ts';
import type { ExpiredMonth } from './read-schema.ts';

/** Rows of a table that are copied together; `rows` is what a statement reads them from. */
export interface TablePart {
  name: string;
  rows: string;
}

/** The partitions of a table, the oldest first; none: the table has all its rows itself. */
export async function readPartitions(client: pg.Client, table: string): Promise<Partition[]> {
  const { rows } = await client.query<PartitionRow>(SELECT_PARTITIONS, [table]);
  return partitionsIn(rows);
}

/** The partitions of a table, or the table itself. */
export function partsOf(table: string, partitions: Partition[]): TablePart[] {
  const names = partitions.length === 0 ? [table] : partitions.map(({ name }) => name);
  return names.map((name) => ({ name, rows: pg.escapeIdentifier(name) }));
}

/** Of an expired month, the messages that are still counted. What was written again since is in `messages`. */
export function stillCounted({ name, untilS }: ExpiredMonth): TablePart {
  return {
    name,
    rows: `${pg.escapeIdentifier(name)} e where (${keyOf('e')}) > (
        select after_bot, after_connection, after_chat, after_id, after_date from expired_months
        where name = ${pg.escapeLiteral(name)}
      ) and not exists (select from messages m where (${keyOf('m')}) = (${keyOf('e')}) and m.date < ${untilS})`,
  };
}

function keyOf(table: string): string {
  return ['bot_id', 'business_connection_id', 'chat_id', 'id', 'date'].map((column) => `${table}.${column}`).join(', ');
}

/** The dates (Unix seconds) between which a table has partitions for months; null: it has none. */
export function monthsOf(partitions: Partition[]): { fromS: number; untilS: number } | null {
  const [fromS = null, untilS = null] = [partitions[0]?.untilS, partitions.at(-1)?.fromS];
  return fromS === null || untilS === null ? null : { fromS, untilS };
}
