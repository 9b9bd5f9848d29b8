import type { Database } from '@flotilla/database/connect.ts';
import { sealColumns } from '@flotilla/domain/fleet/bots/sealed-bot.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { sql } from 'kysely';
import { FLEET_ENCRYPTION_KEY } from './fleet/fleet.ts';

const ROWS = 500;

/** Inserts many pushed bots into Postgres; each has a path of its own at the backend that `originOf` returns. */
export async function insertManyBots(db: Database, count: number, originOf: (bot: number) => string): Promise<void> {
  const secrets = secretBox(FLEET_ENCRYPTION_KEY);
  const newRow = (id: number, bot: number) => {
    const plain = { token: `${bot}:token-of-this-bot`, backend_url: `${originOf(bot)}/${bot}` };
    return {
      id,
      telegram_id: bot,
      token_sealed: '',
      ...sealColumns(secrets, id, plain),
      token_hash: `hash ${bot}`,
      name: 'One of many',
      username: `many_${bot}_bot`,
      source: 'cli' as const,
      proxy_enabled: true,
      registration_id: String(bot),
      revision: bot,
      allowed_updates: null,
    };
  };
  for (let from = 1; from <= count; from += ROWS) {
    const ids = await newIds(db, Math.min(ROWS, count - from + 1));
    const rows = ids.map((id, at) => newRow(id, from + at));
    await db.insertInto('bots').values(rows).execute();
  }
}

/** In one query: the last of hundreds would wait for a connection longer than the pool allows. */
async function newIds(db: Database, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('bots', 'id')) as id from generate_series(1, ${count})`.execute(db);
  return rows.map(({ id }) => id);
}
