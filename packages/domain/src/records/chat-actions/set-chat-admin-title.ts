import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { actInChat, type ChatActionDeps, type UserOfChat } from './act-in-chat.ts';

/** Gives an administrator a title; '' removes it. Throws as actInChat does. */
export function setChatAdminTitle(
  deps: ChatActionDeps,
  bot: Bot,
  by: Actor,
  admin: UserOfChat & { title: string },
): Promise<void> {
  const params = { user_id: admin.user_id, custom_title: admin.title };
  return actInChat(deps, bot, by, { method: 'setChatAdministratorCustomTitle', chat_id: admin.chat_id, params });
}
