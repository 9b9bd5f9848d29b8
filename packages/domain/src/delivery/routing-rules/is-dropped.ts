import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { type Fields, readObject } from '@flotilla/telegram/platform-fields.ts';
import { NEW_MESSAGE_KINDS } from '@flotilla/telegram/update-kinds.ts';
import { type Bot, rulesOf } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { matchingRules } from './matching-rules.ts';
import { isOwnMessage } from './own-message.ts';

/** Whether a rule drops an update, so that the backend does not get it. Costs nothing for a bot without such rules. */
export async function isDropped(
  deps: { redis: RedisHandles; directory: BotDirectory },
  bot: Bot,
  update: { kind: string; raw: string },
): Promise<boolean> {
  if (!rulesOf(bot).some((rule) => rule.action === 'drop') || !NEW_MESSAGE_KINDS.includes(update.kind)) return false;
  const message = readObject(JSON.parse(update.raw) as Fields, update.kind);
  if (message === null || !matchingRules(bot, update.kind, [message]).some((rule) => rule.action === 'drop'))
    return false;
  return !(await isOwnMessage(deps, message));
}
