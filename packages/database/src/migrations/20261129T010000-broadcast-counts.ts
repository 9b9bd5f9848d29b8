import { type Kysely, sql } from 'kysely';

/** An entry that failed without a code of the platform counts as failed; its count as blocked was null, which no row may have. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_functiondef('count_broadcast_entries'::regproc) as definition`.execute(db);
  const definition = rows[0]!.definition.replaceAll('error_code = 403', 'error_code is not distinct from 403');
  await sql.raw(definition).execute(db);
}
