import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, channels } from '@flotilla/redis/keys.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Bot } from './bot.ts';
import { NOW, patchBotState } from './patch-bot-state.ts';

type ReadNumber = (field: string) => number;

/** The fields of a bot's state that foreignSinceMs reads. */
const FOREIGN_FIELDS = ['foreignAt', 'pollOkAt', 'hookOkAt'] as const;

/** Since when (ms) the platform gives the updates to a webhook of another service; null while our intake works. */
export function foreignSinceMs(bot: Bot, number: ReadNumber): number | null {
  const foreignAt = number('foreignAt');
  return foreignAt > number(bot.webhook_mode ? 'hookOkAt' : 'pollOkAt') ? foreignAt : null;
}

/** Says so for people. */
export const foreignWebhookText = (host: string): string =>
  `${host} gets the updates of this bot: another service set its webhook at the platform`;

/** Remembers that the platform gives the updates of a bot to the webhook of another service. */
export async function noteForeignWebhook(
  deps: { redis: RedisHandles; log: Logger },
  bot: Bot,
  host: string,
): Promise<void> {
  const { commands } = deps.redis;
  const [known, ...times] = await commands.hmget(botKeys(bot.id).state, 'foreignHost', ...FOREIGN_FIELDS);
  const number = (field: string) => Number(times[(FOREIGN_FIELDS as readonly string[]).indexOf(field)] ?? 0);
  if (known === host && foreignSinceMs(bot, number) !== null) return;
  await patchBotState(deps, bot, { foreignHost: host, foreignAt: NOW });
  await commands.publish(channels.botState, String(bot.id));
  deps.log.warn({ bot: bot.id, host }, 'the platform gives the updates of a bot to the webhook of another service');
}
