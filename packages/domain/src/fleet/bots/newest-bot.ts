import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { openBot } from './bot-row.ts';
import { botStore } from './bot-store.ts';

/**
 * The bot as Postgres has it: a process that has not heard of the last change yet must not answer that there is nothing to
 * change. While Postgres is away, the bot as it is given.
 */
export async function newestBot({ db, secrets }: Pick<BotDeps, 'db' | 'secrets'>, bot: Bot): Promise<Bot> {
  const row = await botStore(db)
    .byId(bot.id)
    .catch(() => undefined);
  return row === undefined ? bot : openBot(secrets, row);
}
