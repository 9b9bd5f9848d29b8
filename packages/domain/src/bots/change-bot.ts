import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import { type Bot, type BotChanges, polls, pushes, routes } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { mirrorBot, type PlaceChange } from './bot-mirror.ts';
import { botFromRow, rowFromChanges } from './bot-row.ts';
import { botStore } from './bot-store.ts';

/**
 * Stores changes of a bot, brings its state in Redis in line, tells every process and wakes its turns.
 * Throws FlotillaError('not_found') when the bot is gone, 'conflict' when the new token is registered already.
 */
export async function changeBot(
  deps: BotDeps,
  botId: number,
  changes: BotChanges,
  place: PlaceChange = {},
): Promise<Bot> {
  const store = botStore(deps.db);
  const form = await store.sealedForm();
  const columns = rowFromChanges(deps.secrets, { botId, form }, changes);
  const row = await store.update(botId, columns).catch(refuseKnownToken);
  if (!row) throw new FlotillaError('not_found', 'Bot not found');
  const bot = botFromRow(deps.secrets, row);
  const waits = await mirrorBot(deps, bot, place, form);
  await wakeTurns(deps, bot, waits);
  await deps.directory.refresh();
  return bot;
}

/** Wakes what this configuration expects to run. */
export async function wakeTurns(deps: Pick<BotDeps, 'turns'>, bot: Bot, waitsForPush: boolean): Promise<void> {
  if (polls(bot)) await deps.turns.polling.wake(bot.id);
  if (pushes(bot) && waitsForPush) await deps.turns.push.wake(bot.id);
  if (routes(bot) && !bot.disabled) await deps.turns.rules.wake(bot.id);
}

const UNIQUE_VIOLATION = '23505';

function refuseKnownToken(error: unknown): never {
  if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) {
    throw new FlotillaError('conflict', 'A bot with this token is registered already');
  }
  throw error;
}
