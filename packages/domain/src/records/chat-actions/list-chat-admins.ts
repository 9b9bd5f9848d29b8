import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { requireAbleToAct } from '../../fleet/bots/require-managed.ts';
import { resultOf } from '../../fleet/bots/validate-token.ts';
import { type ChatAdmin, readChatAdmin } from './chat-admin.ts';

/**
 * The present administrators of a chat at the platform, the creator first, the others by id. Throws 'bad_request' for a
 * bot that is disabled or not managed, or the platform's refusal.
 */
export async function listChatAdmins(
  { platform }: { platform: PlatformClient },
  bot: Bot,
  chat_id: number,
): Promise<ChatAdmin[]> {
  requireAbleToAct(bot);
  const members = resultOf(await platform.call(bot.token, 'getChatAdministrators', { chat_id }));
  if (!Array.isArray(members))
    throw new FlotillaError('platform_failed', 'The answer of the platform contains no list of members');
  const admins = members.map(readChatAdmin).filter((admin) => admin !== null);
  return admins.sort((one, other) => rankOf(one) - rankOf(other) || one.user.id - other.user.id);
}

/** Sort key of an administrator: 0 for the creator, 1 for all others. */
export function rankOf(admin: Pick<ChatAdmin, 'status'>): number {
  return admin.status === 'creator' ? 0 : 1;
}
