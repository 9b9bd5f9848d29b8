import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { secondFactorPlace } from '../../people/accounts/second-factor-store.ts';
import { resealer, type Tally } from './tally.ts';

/** Like resealStored, for the secrets of authenticator apps: there are few of them. */
export async function resealSecondFactors(
  deps: { db: Database; secrets: SecretBox; signal: AbortSignal },
  tally: Tally,
  lookOnly: boolean,
): Promise<void> {
  deps.signal.throwIfAborted();
  const reseal = resealer(deps.secrets, tally);
  const rows = await deps.db.selectFrom('second_factors').select(['account_id', 'totp_sealed']).execute();
  for (const { account_id: id, totp_sealed: before } of rows) {
    const totp_sealed = reseal('second factors', before, secondFactorPlace(id));
    if (lookOnly || totp_sealed === before) continue;
    const { numUpdatedRows } = await deps.db
      .updateTable('second_factors')
      .set({ totp_sealed })
      .where('account_id', '=', id)
      .where('totp_sealed', '=', before)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) tally.resealed += 1;
    else tally.overtaken += 1;
  }
}
