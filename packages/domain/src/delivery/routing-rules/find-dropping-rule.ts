import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { type Fields, readObject } from '@flotilla/telegram/platform-fields.ts';
import { NEW_MESSAGE_KINDS } from '@flotilla/telegram/update-kinds.ts';
import type { ActiveRule } from '../../fleet/bots/active-rule.ts';
import { type Bot, rulesOf } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { matchingRules } from './matching-rules.ts';
import { isOwnMessage } from './own-message.ts';

/** The rule that keeps an update from the backend; null if none does. Costs nothing for a bot without such rules. */
export async function findDroppingRule(
  deps: { redis: RedisHandles; directory: BotDirectory },
  bot: Bot,
  update: { kind: string; raw: string },
): Promise<ActiveRule | null> {
  if (!rulesOf(bot).some((rule) => rule.action === 'drop') || !NEW_MESSAGE_KINDS.includes(update.kind)) return null;
  const message = readObject(JSON.parse(update.raw) as Fields, update.kind);
  if (message === null) return null;
  const rule = matchingRules(bot, update.kind, [message]).find(({ action }) => action === 'drop');
  return rule === undefined || (await isOwnMessage(deps, message)) ? null : rule;
}
