import { type RawBuilder, sql } from 'kysely';

/** A column of a set of rows handed over as one array: its type and what each row has there. */
export type Column<Row> = [type: string, read: (row: Row) => unknown];

/** One parameter a column, whatever the number of rows: the statement's text, and so its plan, stays the same. */
export function unnestRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): RawBuilder<unknown> {
  const arrays = columns.map(([type, read]) => sql`${rows.map(read)}::${sql.raw(type)}[]`);
  return sql`unnest(${sql.join(arrays)})`;
}
