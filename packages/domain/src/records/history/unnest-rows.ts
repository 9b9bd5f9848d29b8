import { type RawBuilder, sql } from 'kysely';
import { inSlices } from './in-slices.ts';

/** A column that is passed as one array: its SQL type, and how to read its value from a row. */
export type Column<Row> = [type: string, read: (row: Row) => string | number | boolean | Date | null];

/** Rows that are written column by column, so that each function stays with one kind of value. */
const CHUNK = 25;
const SPECIAL = /["\\]/g;

/**
 * Passes rows as one parameter a column, so that the statement's text and plan are the same for any number of rows. The
 * texts of the arrays are made here, in slices: `pg` makes them in one go, and takes three times as long. Rows are taken out
 * of the array, so that those who wait for the statement do not keep them alive.
 */
export async function unnestRows<Row>(rows: Row[], columns: readonly Column<Row>[]): Promise<RawBuilder<unknown>> {
  // Joined once: V8 copies a text that was put together with + once more when it is sent.
  const pieces = columns.map((): string[] => []);
  await inSlices(takeChunks(rows), (chunk) => {
    for (const [at, [, read]] of columns.entries()) {
      pieces[at]?.push(',', chunk.map((row) => elementOf(read(row))).join());
    }
  });
  const arrays = columns.map(
    ([type], at) => sql`${['{', ...(pieces[at] ?? []).slice(1), '}'].join('')}::${sql.raw(type)}[]`,
  );
  return sql`unnest(${sql.join(arrays)})`;
}

function* takeChunks<Row>(rows: Row[]): Generator<Row[]> {
  while (rows.length > 0) yield rows.splice(0, CHUNK);
}

/** An element as the text of an array has it. */
function elementOf(value: ReturnType<Column<never>[1]>): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `"${value.replace(SPECIAL, '\\$&')}"`;
  // Postgres knows no sign before a year of more than four digits.
  return value instanceof Date ? `"${value.toISOString().replace('+', '')}"` : String(value);
}
