import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { SEALED_PLACES } from '../bots/sealed-bot.ts';
import { SEALED_COLUMNS, type SealedRow, sealedStore } from './sealed-store.ts';
import { resealer, type Tally } from './tally.ts';

const ROWS_A_STEP = 200;

/**
 * Inspects every sealed text in Postgres. Unless `lookOnly`, it seals those of another listed key again with the first
 * one. Each step is one statement, so the work may be stopped at any time and started again.
 */
export async function resealStored(
  deps: { db: Database; secrets: SecretBox; signal: AbortSignal },
  tally: Tally,
  lookOnly: boolean,
): Promise<void> {
  const store = sealedStore(deps.db);
  let lastId = 0;
  for (;;) {
    deps.signal.throwIfAborted();
    const rows = await store.after(lastId, ROWS_A_STEP);
    if (rows.length === 0) return;
    lastId = rows.at(-1)!.id;
    const changes = rows
      .map((before) => ({ before, after: resealRow(deps.secrets, before, tally) }))
      .filter(({ before, after }) => SEALED_COLUMNS.some((column) => before[column] !== after[column]));
    if (lookOnly || changes.length === 0) continue;
    const replaced = await store.replace(changes);
    tally.resealed += replaced;
    tally.overtaken += changes.length - replaced;
  }
}

function resealRow(secrets: SecretBox, row: SealedRow, tally: Tally): SealedRow {
  const reseal = resealer(secrets, tally);
  const { id } = row;
  return {
    id,
    token_sealed: reseal('bot tokens', row.token_sealed, SEALED_PLACES.token(id)),
    secret_token_sealed: reseal('secret tokens', row.secret_token_sealed, SEALED_PLACES.secretToken(id)),
    signing_sealed: reseal('signing secrets', row.signing_sealed, SEALED_PLACES.signing(id)),
    template_sealed: reseal('templates', row.template_sealed, SEALED_PLACES.template(id)),
    backend_url_sealed: reseal('backend URLs', row.backend_url_sealed, SEALED_PLACES.backendUrl(id)),
  };
}
