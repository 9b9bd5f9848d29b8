import type { Actor } from '../../people/audit/actor.ts';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { changeBot } from './change-bot.ts';
import { sameKinds } from './set-backend.ts';

/**
 * Stores the kinds that getUpdates asked for, as the platform does. Undefined changes nothing; null means the default
 * set. If Postgres is away, getUpdates does not fail.
 */
export async function keepAllowedUpdates(
  deps: BotDeps,
  by: Actor,
  bot: Bot,
  allowed_updates: string[] | null | undefined,
): Promise<void> {
  if (allowed_updates === undefined) return;
  const unchanged = (known: Bot) => sameKinds(known.allowed_updates, allowed_updates);
  if (unchanged(bot) && unchanged(await newest(deps, bot))) return;
  await changeBot(deps, by, bot.id, { allowed_updates }).catch((error: unknown) =>
    deps.log.warn({ botId: bot.id, err: error }, 'allowed_updates of a poll could not be stored'),
  );
}

/** Another process may have stored a change that this snapshot does not have yet. */
async function newest({ directory }: BotDeps, bot: Bot): Promise<Bot> {
  await directory.refresh().catch(() => undefined);
  return (directory.ready() ? directory.byId(bot.id) : undefined) ?? bot;
}
