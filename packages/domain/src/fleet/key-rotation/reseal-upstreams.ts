import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { SEALED_PLACES } from '../bots/sealed-bot.ts';
import { resealer, type Tally } from './tally.ts';

/** Like resealStored, for upstreams: there are few of them. */
export async function resealUpstreams(
  deps: { db: Database; secrets: SecretBox; signal: AbortSignal },
  tally: Tally,
  lookOnly: boolean,
): Promise<void> {
  deps.signal.throwIfAborted();
  const reseal = resealer(deps.secrets, tally);
  const rows = await deps.db.selectFrom('upstreams').select(['id', 'proxy_sealed']).execute();
  for (const { id, proxy_sealed: before } of rows) {
    const after = reseal('proxies of upstreams', before, SEALED_PLACES.upstreamProxy(id));
    if (lookOnly || after === before) continue;
    const { numUpdatedRows } = await deps.db
      .updateTable('upstreams')
      .set({ proxy_sealed: after })
      .where('id', '=', id)
      .where('proxy_sealed', '=', before)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) tally.resealed += 1;
    else tally.overtaken += 1;
  }
}
