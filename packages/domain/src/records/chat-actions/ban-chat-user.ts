import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { actInChat, type ChatActionDeps } from './act-in-chat.ts';

export interface Ban {
  chat_id: number;
  user_id: number;
  /** Unix seconds; undefined means for ever. */
  until_date?: number | undefined;
  /** Also deletes the user's messages. */
  revoke_messages?: boolean | undefined;
}

/** Bans a user from a chat. Throws as actInChat does. */
export function banChatUser(deps: ChatActionDeps, bot: Bot, by: Actor, ban: Ban): Promise<void> {
  const params = {
    user_id: ban.user_id,
    ...(ban.until_date === undefined ? {} : { until_date: ban.until_date }),
    ...(ban.revoke_messages === undefined ? {} : { revoke_messages: ban.revoke_messages }),
  };
  return actInChat(deps, bot, by, { method: 'banChatMember', chat_id: ban.chat_id, params });
}
