import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { SEALED_PLACES } from '../bots/sealed-bot.ts';
import { resealer, type Tally } from './tally.ts';

const ROWS_A_STEP = 200;

type SealedProgram = { id: number; backend_url_sealed: string; secret_token_sealed: string; signing_sealed: string };

/** Like resealStored, for the backends of programs. */
export async function resealPrograms(
  deps: { db: Database; secrets: SecretBox; signal: AbortSignal },
  tally: Tally,
  lookOnly: boolean,
): Promise<void> {
  let lastId = 0;
  for (;;) {
    deps.signal.throwIfAborted();
    const rows = await deps.db
      .selectFrom('programs')
      .select(['id', 'backend_url_sealed', 'secret_token_sealed', 'signing_sealed'])
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(ROWS_A_STEP)
      .execute();
    if (rows.length === 0) return;
    lastId = rows.at(-1)!.id;
    for (const before of rows) {
      const after = reseal(deps.secrets, before, tally);
      if (lookOnly || JSON.stringify(before) === JSON.stringify(after)) continue;
      if (await replace(deps.db, before, after)) tally.resealed += 1;
      else tally.overtaken += 1;
    }
  }
}

function reseal(secrets: SecretBox, row: SealedProgram, tally: Tally): SealedProgram {
  const again = resealer(secrets, tally);
  const { id } = row;
  return {
    id,
    backend_url_sealed: again('backend URLs', row.backend_url_sealed, SEALED_PLACES.programUrl(id)),
    secret_token_sealed: again('secret tokens', row.secret_token_sealed, SEALED_PLACES.programSecret(id)),
    signing_sealed: again('signing secrets', row.signing_sealed, SEALED_PLACES.programSigning(id)),
  };
}

/** False if the row has changed since it was read. */
async function replace(db: Database, before: SealedProgram, { id, ...after }: SealedProgram): Promise<boolean> {
  const replaced = await db
    .updateTable('programs')
    .set(after)
    .where('id', '=', id)
    .where('backend_url_sealed', '=', before.backend_url_sealed)
    .where('secret_token_sealed', '=', before.secret_token_sealed)
    .where('signing_sealed', '=', before.signing_sealed)
    .executeTakeFirst();
  return replaced.numUpdatedRows > 0n;
}
