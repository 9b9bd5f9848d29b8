import { eachPermission } from '@flotilla/contract/chat-admins.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { actInChat, type ChatActionDeps, type UserOfChat } from './act-in-chat.ts';

/** Makes an administrator a member again. Throws as actInChat does. */
export function demoteChatAdmin(deps: ChatActionDeps, bot: Bot, by: Actor, admin: UserOfChat): Promise<void> {
  const params = { user_id: admin.user_id, ...eachPermission(() => false) };
  return actInChat(deps, bot, by, { method: 'promoteChatMember', chat_id: admin.chat_id, params });
}
