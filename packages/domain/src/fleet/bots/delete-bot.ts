import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { describeNew } from '../../people/audit/describe-changes.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { type Bot, isBetweenServers } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { unmirrorBot } from './bot-mirror.ts';
import { openBot } from './bot-row.ts';
import { botStore } from './bot-store.ts';
import { deletionStore } from './deletion-store.ts';
import { removeOurWebhook } from './platform-webhook.ts';
import { republishBots } from './republish-bots.ts';

/**
 * Deletes a bot and all its data in Postgres and Redis, and its webhook at the platform if that leads to us. Its history is
 * hidden at once and removed in the background. `check` refuses what would be deleted.
 * Throws FlotillaError('not_found').
 */
export async function deleteBot(deps: BotDeps, by: Actor, botId: number, check?: (bot: Bot) => void): Promise<void> {
  const bot = deps.directory.byId(botId);
  const { existed, partners } = await deps.db.transaction().execute(async (transaction) => {
    const store = botStore(transaction);
    const partners = await store.routingPartners(botId);
    await store.lockAll([botId, ...partners]);
    const bot = await store.lock(botId);
    if (bot !== undefined) check?.(openBot(deps.secrets, bot));
    const existed = await store.remove(botId);
    if (bot && existed) {
      await deletionStore(transaction).addBot(botId);
      const details = describeNew({ name: bot.name, username: bot.username });
      await recordAction({ db: transaction, clock: deps.clock }, by, { action: 'bot_delete', bot_id: botId, details });
    }
    await store.touch(partners);
    return { existed, partners };
  });
  await unmirrorBot(deps, botId);
  // Between two servers it has none, and a call would log it in again.
  if (bot?.webhook_mode && !isBetweenServers(bot)) await leavePlatform(deps, bot);
  await republishBots(deps, partners);
  if (!existed) throw new FlotillaError('not_found', 'Bot not found');
}

/** Otherwise the platform would go on pushing to us, and refuse the getUpdates of whoever has the bot now. */
async function leavePlatform(deps: BotDeps, bot: Bot): Promise<void> {
  try {
    await removeOurWebhook(deps, bot);
  } catch (error) {
    deps.log.warn({ err: error, botId: bot.id }, 'the webhook of a deleted bot could not be removed at the platform');
  }
}
