import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { actInChat, type ChatActionDeps } from './act-in-chat.ts';

export interface Ban {
  chatId: number;
  userId: number;
  /** Unix seconds; undefined means for ever. */
  untilDateS: number | undefined;
  /** Also deletes the user's messages. */
  revokeMessages: boolean | undefined;
}

/** Bans a user from a chat. Throws as actInChat does. */
export function banChatUser(deps: ChatActionDeps, bot: Bot, by: Actor, ban: Ban): Promise<void> {
  const params = {
    user_id: ban.userId,
    ...(ban.untilDateS === undefined ? {} : { until_date: ban.untilDateS }),
    ...(ban.revokeMessages === undefined ? {} : { revoke_messages: ban.revokeMessages }),
  };
  return actInChat(deps, bot, by, { method: 'banChatMember', chatId: ban.chatId, params });
}
