import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../audit/actor.ts';
import { describeNew } from '../audit/describe-changes.ts';
import { recordAction } from '../audit/record-action.ts';
import { deletionStore } from '../retention/deletion-store.ts';
import type { BotDeps } from './bot-deps.ts';
import { unmirrorBot } from './bot-mirror.ts';
import { botStore } from './bot-store.ts';
import { republishBots } from './republish-bots.ts';

/**
 * Deletes a bot and all its data in Postgres and Redis. Its history is hidden at once and removed in the background.
 * Throws FlotillaError('not_found').
 */
export async function deleteBot(deps: BotDeps, by: Actor, botId: number): Promise<void> {
  const { existed, partners } = await deps.db.transaction().execute(async (transaction) => {
    const store = botStore(transaction);
    const partners = await store.routingPartners(botId);
    const bot = await store.lock(botId);
    const existed = await store.remove(botId);
    if (bot && existed) {
      await deletionStore(transaction).addBot(botId);
      const details = describeNew({ name: bot.name, username: bot.username });
      await recordAction({ db: transaction, clock: deps.clock }, by, { action: 'bot_delete', botId, details });
    }
    await store.touch(partners);
    return { existed, partners };
  });
  await unmirrorBot(deps, botId);
  await republishBots(deps, partners);
  if (!existed) throw new FlotillaError('not_found', 'Bot not found');
}
