import { randomUUID } from 'node:crypto';
import type { Database } from '@flotilla/database/connect.ts';

/** Inserts a bot's row only, for tests of Postgres data; returns its id. */
export async function storedBot(db: Database): Promise<number> {
  const unique = randomUUID();
  const bot = await db
    .insertInto('bots')
    .values({
      telegram_id: 5001,
      token_sealed: '',
      token_hash: unique,
      name: 'Echo',
      username: 'echo_bot',
      source: 'web',
      allowed_updates: null,
      registration_id: unique,
      revision: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return bot.id;
}
