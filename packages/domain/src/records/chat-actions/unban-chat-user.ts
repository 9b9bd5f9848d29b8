import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { actInChat, type ChatActionDeps, type UserOfChat } from './act-in-chat.ts';

/** Lifts a ban. Throws as actInChat does. */
export function unbanChatUser(deps: ChatActionDeps, bot: Bot, by: Actor, user: UserOfChat): Promise<void> {
  // Without only_if_banned the platform would remove a member who is not banned from the chat.
  const params = { user_id: user.user_id, only_if_banned: true };
  return actInChat(deps, bot, by, { method: 'unbanChatMember', chat_id: user.chat_id, params });
}
