import { type ChatPermissions, eachPermission } from '@flotilla/contract/chat-admins.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { requireAbleToAct } from '../../fleet/bots/require-managed.ts';
import { resultOf } from '../../fleet/bots/validate-token.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { actInChat, type ChatActionDeps, type UserOfChat } from './act-in-chat.ts';
import { readChatAdmin } from './chat-admin.ts';

/**
 * Makes a member an administrator with these permissions. Undefined means all permissions of the bot, except appointing
 * administrators. Throws as actInChat does.
 */
export async function promoteChatUser(
  deps: ChatActionDeps,
  bot: Bot,
  by: Actor,
  user: UserOfChat & { permissions?: ChatPermissions | undefined },
): Promise<void> {
  requireAbleToAct(bot);
  const permissions = user.permissions ?? (await permissionsToPassOn(deps, bot, user.chat_id));
  const params = { user_id: user.user_id, ...permissions };
  await actInChat(deps, bot, by, { method: 'promoteChatMember', chat_id: user.chat_id, params });
}

async function permissionsToPassOn({ platform }: ChatActionDeps, bot: Bot, chat_id: number): Promise<ChatPermissions> {
  const asked = { chat_id, user_id: bot.telegram_id };
  const own = readChatAdmin(resultOf(await platform.call(bot.token, 'getChatMember', asked)));
  const ofBot = own?.permissions ?? eachPermission(() => false);
  // A call without any right would demote the member. can_manage_chat is implied by every other right.
  return { ...ofBot, can_promote_members: false, can_manage_chat: true };
}
