import type { Database } from '@flotilla/database/connect.ts';
import { botStore } from '@flotilla/domain/bots/bot-store.ts';
import { sealColumns } from '@flotilla/domain/bots/sealed-bot.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { FLEET_ENCRYPTION_KEY } from './fleet/fleet.ts';

const ROWS = 500;

/** Inserts many pushed bots into Postgres; each has a path of its own at the backend that `originOf` returns. */
export async function insertManyBots(db: Database, count: number, originOf: (bot: number) => string): Promise<void> {
  const secrets = secretBox(FLEET_ENCRYPTION_KEY);
  const newRow = async (bot: number) => {
    const id = await botStore(db).nextId();
    const plain = { token: `${bot}:token-of-this-bot`, backendUrl: `${originOf(bot)}/${bot}` };
    return {
      id,
      telegram_id: bot,
      token_sealed: '',
      ...sealColumns(secrets, { botId: id, form: 'bound' }, plain),
      token_hash: `hash ${bot}`,
      name: 'One of many',
      username: `many_${bot}_bot`,
      source: 'cli' as const,
      proxy_enabled: true,
      generation: String(bot),
      revision: bot,
      allowed_updates: null,
    };
  };
  for (let from = 1; from <= count; from += ROWS) {
    const rows = Array.from({ length: Math.min(ROWS, count - from + 1) }, (_, at) => newRow(from + at));
    await db
      .insertInto('bots')
      .values(await Promise.all(rows))
      .execute();
  }
}
