import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { SEALED_PLACES } from '../bots/sealed-bot.ts';
import { resealer, type Tally } from './tally.ts';

/** Like resealStored, for event sinks: there are few of them. */
export async function resealSinks(
  deps: { db: Database; secrets: SecretBox; signal: AbortSignal },
  tally: Tally,
  lookOnly: boolean,
): Promise<void> {
  deps.signal.throwIfAborted();
  const reseal = resealer(deps.secrets, tally);
  const rows = await deps.db.selectFrom('event_sinks').select(['id', 'url_sealed', 'signing_sealed']).execute();
  for (const { id, url_sealed: url, signing_sealed: signing } of rows) {
    const after = {
      url_sealed: reseal('event URLs', url, SEALED_PLACES.sinkUrl(id)),
      signing_sealed: reseal('signing secrets', signing, SEALED_PLACES.sinkSigning(id)),
    };
    if (lookOnly || (after.url_sealed === url && after.signing_sealed === signing)) continue;
    const { numUpdatedRows } = await deps.db
      .updateTable('event_sinks')
      .set(after)
      .where('id', '=', id)
      .where('url_sealed', '=', url)
      .where('signing_sealed', '=', signing)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) tally.resealed += 1;
    else tally.overtaken += 1;
  }
}
