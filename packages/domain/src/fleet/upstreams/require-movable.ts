import { botKeys } from '@flotilla/redis/keys.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot, BotChanges } from '../bots/bot.ts';
import type { BotDeps } from '../bots/bot-deps.ts';
import { botStore } from '../bots/bot-store.ts';
import { resultOf, validateToken } from '../bots/validate-token.ts';
import { serverOfName } from './server-of-name.ts';

const LOSES =
  'changes only while the bot is disabled and has never got an update, since what waits at the present server would be lost';
const REASONS = { environment: LOSES, upstream: `${LOSES}: use POST /api/bots/move` };

/**
 * Refuses another server where something could be lost: updates that wait at the present one, and ids of the new one that look like
 * updates that came already. Throws FlotillaError.
 */
export async function requireMovable(
  deps: BotDeps,
  bot: Bot,
  { upstream = bot.upstream, environment = bot.environment, token = bot.token }: BotChanges,
): Promise<void> {
  const to = serverOfName(deps, upstream, environment);
  const field = upstream === bot.upstream ? 'environment' : 'upstream';
  if (!bot.disabled || (await gotUpdates(deps, bot))) throw refusedInput(field, REASONS[field]);
  const info = resultOf(await deps.platform.call(bot.token, 'getWebhookInfo', {}, { at: bot }));
  if ((info as { pending_update_count?: unknown } | null)?.pending_update_count !== 0) {
    throw refusedInput(field, REASONS[field]);
  }
  const identity = await validateToken(deps, token, to);
  if (identity.id !== bot.telegram_id) throw refusedInput(field, 'has another bot for this token');
}

async function gotUpdates({ db, redis }: Pick<BotDeps, 'db' | 'redis'>, { id }: Bot): Promise<boolean> {
  const [reserved, last] = await Promise.all([
    botStore(db).reservedUpdateIds([id]),
    redis.commands.hget(botKeys(id).state, 'lastId'),
  ]);
  return (reserved.get(id) ?? 0) > 0 || Number(last ?? 0) > 0;
}
