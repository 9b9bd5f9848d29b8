import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

/** A bot's sealed columns; '' where it has none. */
export interface SealedRow {
  id: number;
  token_sealed: string;
  secret_token_sealed: string;
}

/** SQL of what is sealed in Postgres. */
export function sealedStore(db: Database) {
  return {
    after(id: number, limit: number): Promise<SealedRow[]> {
      return db
        .selectFrom('bots')
        .select(['id', 'token_sealed', 'secret_token_sealed'])
        .where('id', '>', id)
        .orderBy('id')
        .limit(limit)
        .execute();
    },

    /** Replaces what was read, where nobody changed it since; returns how many rows. The revision stays. */
    async replace(changes: { before: SealedRow; after: SealedRow }[]): Promise<number> {
      const column = (read: (change: (typeof changes)[number]) => string) => sql`${changes.map(read)}::text[]`;
      const { numAffectedRows } = await sql`
        update bots set token_sealed = c.token, secret_token_sealed = c.secret
        from unnest(${changes.map(({ before }) => before.id)}::bigint[], ${column(({ before }) => before.token_sealed)},
          ${column(({ before }) => before.secret_token_sealed)}, ${column(({ after }) => after.token_sealed)},
          ${column(({ after }) => after.secret_token_sealed)}) as c (id, token_before, secret_before, token, secret)
        where bots.id = c.id and bots.token_sealed = c.token_before and bots.secret_token_sealed = c.secret_before
      `.execute(db);
      return Number(numAffectedRows ?? 0);
    },
  };
}
