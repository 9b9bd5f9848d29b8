import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';

type ForgetDeps = { db: Database; redis: RedisHandles; clock: Clock };

/** Forgets a named consumer and what the log keeps for it. Throws 'not_found' for one that the bot does not have. */
export async function forgetConsumer(deps: ForgetDeps, by: Actor, bot: Bot, name: string): Promise<void> {
  const keys = botKeys(bot.id);
  await deps.db.transaction().execute(async (db) => {
    await requireAuditable(db);
    const { outcome } = await scripts.forgetConsumer(deps.redis.commands, keys, {
      ...registrationOf(bot),
      consumer: name,
    });
    if (outcome === 'GONE') throw new FlotillaError('not_found', 'Bot not found');
    if (outcome !== 'OK') throw new FlotillaError('not_found', 'Consumer not found');
    await recordAction({ ...deps, db }, by, { action: 'consumer_forget', bot_id: bot.id, details: `consumer ${name}` });
  });
}
