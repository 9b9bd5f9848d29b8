import { type Kysely, sql } from 'kysely';

/** The partitions of a table before and from the present month on. month-partitions.ts cuts months off them. */
export async function createEdges(db: Kysely<unknown>, table: string): Promise<void> {
  const now = new Date();
  const monthS = Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) / 1000;
  for (const [name, bounds] of [
    [`${table}_before`, `from (minvalue) to (${monthS})`],
    [`${table}_after`, `from (${monthS}) to (maxvalue)`],
  ] as const) {
    await sql`create table ${sql.table(name)} partition of ${sql.table(table)} for values ${sql.raw(bounds)}`.execute(
      db,
    );
  }
}
