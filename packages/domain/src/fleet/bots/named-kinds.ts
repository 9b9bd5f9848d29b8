import { botKeys } from '@flotilla/redis/keys.ts';
import { kindsToAskFor, unknownKinds } from '@flotilla/telegram/update-kinds.ts';
import type { Bot } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { botStore } from './bot-store.ts';
import { type RepublishDeps, republishBots } from './republish-bots.ts';

/** The kinds of updates to ask the platform for: those we know, and every other name that a reader has or ever had. */
export function askedKinds({ extraKinds }: Pick<BotDeps, 'extraKinds'>, bot: Bot): string[] {
  const ofPrograms = bot.programs.flatMap(({ kinds, webhook_kinds }) => [...kinds, ...(webhook_kinds ?? [])]);
  return kindsToAskFor(extraKinds, bot.allowed_updates ?? [], ofPrograms, bot.named_kinds);
}

/**
 * Keeps the unknown names among these, so that the platform is asked for them from now on, whatever the reader names later.
 * If a store is away, the reader does not fail.
 */
export async function nameKinds(
  deps: RepublishDeps & Pick<BotDeps, 'log'>,
  bot: Pick<Bot, 'id' | 'named_kinds'>,
  kinds: readonly string[] | null | undefined,
): Promise<void> {
  const unknown = unknownKinds(kinds ?? []);
  if (unknown.every((kind) => bot.named_kinds.includes(kind))) return;
  try {
    if (!(await botStore(deps.db).nameKinds(bot.id, unknown))) return;
    await republishBots(deps, [bot.id]);
    // The next round of upkeep compares the webhook at the platform, if there is one.
    await deps.redis.commands.del(botKeys(bot.id).webhookCheck);
  } catch (error) {
    deps.log.warn({ botId: bot.id, err: error }, 'kinds of updates that a reader named could not be stored');
  }
}
