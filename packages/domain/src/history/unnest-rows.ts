import { type RawBuilder, sql } from 'kysely';

/** A column that is passed as one array: its SQL type, and how to read its value from a row. */
export type Column<Row> = [type: string, read: (row: Row) => unknown];

/** Passes rows as one parameter a column, so that the statement's text and plan are the same for any number of rows. */
export function unnestRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): RawBuilder<unknown> {
  const arrays = columns.map(([type, read]) => sql`${rows.map(read)}::${sql.raw(type)}[]`);
  return sql`unnest(${sql.join(arrays)})`;
}
