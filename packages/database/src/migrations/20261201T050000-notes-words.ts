import { type Kysely, sql } from 'kysely';

export const outsideTransaction = true;

/** For notes that are found by words. Signs would make other words of them, such as addresses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index concurrently if exists notes_words`.execute(db);
  await sql`
    create index concurrently notes_words on notes
    using gin (to_tsvector('simple'::regconfig, regexp_replace(search_text, '[^[:alnum:]]+', ' ', 'g')))`.execute(db);
}
