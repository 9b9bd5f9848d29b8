import type { Database } from '@flotilla/database/connect.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { FLEET_ENCRYPTION_KEY } from './fleet/fleet.ts';

const ROWS = 500;

/** Registers many pushed bots straight in Postgres, each with a path of its own at the backend. */
export async function insertManyBots(db: Database, count: number, backendUrl: string): Promise<void> {
  const secrets = secretBox(FLEET_ENCRYPTION_KEY);
  for (let from = 1; from <= count; from += ROWS) {
    const rows = Array.from({ length: Math.min(ROWS, count - from + 1) }, (_, at) => ({
      telegram_id: from + at,
      token_sealed: secrets.seal(`${from + at}:token-of-this-bot`),
      token_hash: `hash ${from + at}`,
      name: 'One of many',
      username: `many_${from + at}_bot`,
      source: 'cli' as const,
      proxy_enabled: true,
      backend_url: `${backendUrl}/${from + at}`,
      generation: String(from + at),
      revision: from + at,
      allowed_updates: null,
    }));
    await db.insertInto('bots').values(rows).execute();
  }
}
