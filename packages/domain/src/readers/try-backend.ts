import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import { requireAuditable } from '../audit/require-auditable.ts';
import type { Bot } from '../bots/bot.ts';

type TryDeps = { db: Database; redis: RedisHandles; clock: Clock; turns: { push: TurnQueue } };

/**
 * Sends what waits for the bot's backend now instead of later; while the breaker is open, one probe. Throws
 * 'bad_request' when nothing is sent to a backend.
 */
export async function tryBackend(deps: TryDeps, by: Actor, bot: Bot): Promise<void> {
  if (bot.disabled) throw new FlotillaError('bad_request', 'The bot is disabled');
  const { state, lanes, pendingTurns } = botKeys(bot.id);
  await deps.db.transaction().execute(async (db) => {
    await requireAuditable(db);
    const args = [bot.registrationId, deps.clock.nowMs(), bot.id];
    const [outcome] = await runScript(deps.redis.commands, 'try-backend', [state, lanes, pendingTurns], args);
    if (outcome === 'GONE') throw new FlotillaError('not_found', 'Bot not found');
    if (outcome !== 'OK') throw new FlotillaError('bad_request', 'The bot has no backend to send to');
    await recordAction({ ...deps, db }, by, { action: 'backend_resume', botId: bot.id });
  });
  await deps.turns.push.wake(bot.id);
}
