/**
 * Rows with `fromS <= date < untilS`, in Unix seconds; null: no limit. The first and the last partition of a table have one limit:
 * they hold rows with strange dates, and no row is ever refused.
 */
export interface Partition {
  name: string;
  fromS: number | null;
  untilS: number | null;
}

export type PartitionRow = { name: string; bounds: string };

/** The statement that reads the partitions of the table $1. */
export const SELECT_PARTITIONS = `
  select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = $1::regclass`;

const BOUNDS = /^FOR VALUES FROM \((?:MINVALUE|'?(-?\d+)'?)\) TO \((?:MAXVALUE|'?(-?\d+)'?)\)$/;

/** The partitions in the answer to SELECT_PARTITIONS, the oldest first. */
export function partitionsIn(rows: PartitionRow[]): Partition[] {
  const partitions = rows.map(({ name, bounds }) => {
    const found = BOUNDS.exec(bounds);
    if (found === null) throw new Error(`The partition ${name} has bounds that were not made here: ${bounds}`);
    return { name, fromS: limitOf(found[1]), untilS: limitOf(found[2]) };
  });
  return partitions.sort((a, b) => (a.fromS ?? -Infinity) - (b.fromS ?? -Infinity));
}

function limitOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}
