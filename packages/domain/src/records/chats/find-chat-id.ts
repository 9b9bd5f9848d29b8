import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { requireAbleToAct } from '../../fleet/bots/require-managed.ts';
import { resultOf } from '../../fleet/bots/validate-token.ts';
import { EVERYTHING, within } from '../../people/accounts/scope.ts';
import { chatStore } from './chat-store.ts';

type FindDeps = { db: Database; platform: PlatformClient };

/**
 * The id of the chat with this public name (without @). For an action the platform is asked, because another chat may
 * have the name now. For reading, the name that the bot last saw is enough. Throws the platform's refusal of a name.
 */
export async function findChatId(
  { db, platform }: FindDeps,
  bot: Bot,
  name: string,
  purpose: 'act' | 'read',
): Promise<number> {
  if (purpose === 'act') requireAbleToAct(bot);
  const seen = purpose === 'act' ? null : await chatStore(db).findByName(within(EVERYTHING, [bot.id]), name);
  if (seen !== null) return seen.id;
  const chat = resultOf(await platform.call(bot.token, 'getChat', { chat_id: `@${name}` })) as { id?: unknown } | null;
  if (typeof chat?.id === 'number' && Number.isSafeInteger(chat.id)) return chat.id;
  throw new FlotillaError('platform_failed', 'The answer of the platform contains no chat');
}
