import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import type { SealedColumns } from '../bots/sealed-bot.ts';

/** A bot's sealed columns. '' means that there is none. */
export type SealedRow = SealedColumns & { id: number; signing_sealed: string; template_sealed: string };

export const SEALED_COLUMNS = [
  ...(['token_sealed', 'secret_token_sealed', 'backend_url_sealed'] as const),
  ...(['signing_sealed', 'template_sealed'] as const),
] as const;

/** SQL of the sealed columns. */
export function sealedStore(db: Database) {
  return {
    after(id: number, limit: number): Promise<SealedRow[]> {
      return db
        .selectFrom('bots')
        .select(['id', ...SEALED_COLUMNS])
        .where('id', '>', id)
        .orderBy('id')
        .limit(limit)
        .execute();
    },

    /** Replaces values that were not changed since they were read. Returns the number of rows. The revision stays. */
    async replace(changes: { before: SealedRow; after: SealedRow }[]): Promise<number> {
      const texts = (of: 'before' | 'after') =>
        sql.join(SEALED_COLUMNS.map((column) => sql`${changes.map((change) => change[of][column])}::text[]`));
      const { numAffectedRows } = await sql`
        update bots set token_sealed = c.token, secret_token_sealed = c.secret,
          backend_url_sealed = c.url, signing_sealed = c.signing, template_sealed = c.template
        from unnest(${changes.map(({ before }) => before.id)}::bigint[], ${texts('before')}, ${texts('after')})
          as c (id, token_before, secret_before, url_before, signing_before, template_before,
            token, secret, url, signing, template)
        where bots.id = c.id
          and (bots.token_sealed, bots.secret_token_sealed, bots.backend_url_sealed, bots.signing_sealed, bots.template_sealed)
            = (c.token_before, c.secret_before, c.url_before, c.signing_before, c.template_before)
      `.execute(db);
      return Number(numAffectedRows ?? 0);
    },
  };
}
