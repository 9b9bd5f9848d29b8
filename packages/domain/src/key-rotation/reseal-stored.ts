import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { type SealedRow, sealedStore } from './sealed-store.ts';
import { count, inspect, type Place, type Tally } from './tally.ts';

const ROWS_A_STEP = 200;

/**
 * Looks at everything that is sealed in Postgres and, unless `lookOnly`, seals with the first key what another listed
 * one has sealed. Each step is a statement of its own, so that it may be ended at any time and begun again.
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
      .filter(
        ({ before, after }) =>
          before.token_sealed !== after.token_sealed || before.secret_token_sealed !== after.secret_token_sealed,
      );
    if (lookOnly || changes.length === 0) continue;
    const replaced = await store.replace(changes);
    tally.resealed += replaced;
    tally.overtaken += changes.length - replaced;
  }
}

function resealRow(secrets: SecretBox, row: SealedRow, tally: Tally): SealedRow {
  const reseal = (place: Place, sealed: string): string => {
    if (sealed === '') return '';
    const { keyId, sealing, plain } = inspect(secrets, sealed);
    count(tally, place, keyId, sealing);
    return sealing === 'old' ? secrets.seal(plain) : sealed;
  };
  return {
    id: row.id,
    token_sealed: reseal('bot tokens', row.token_sealed),
    secret_token_sealed: reseal('secret tokens', row.secret_token_sealed),
  };
}
