import type { Bot } from './bot.ts';
import type { BotDirectory } from './bot-directory.ts';

/** The bot of a turn, if its configuration wants such turns. A wake may be ahead of this process's snapshot. */
export async function botForTurn(
  deps: { directory: BotDirectory },
  botId: number,
  wanted: (bot: Bot) => boolean,
): Promise<Bot | null> {
  const known = deps.directory.byId(botId);
  if (known && wanted(known)) return known;
  await deps.directory.refresh();
  const bot = deps.directory.byId(botId);
  return bot && wanted(bot) ? bot : null;
}
