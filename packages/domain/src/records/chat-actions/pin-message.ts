import type { Bot } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { connectionOfMessage, connectionParam } from '../messages/business-connection.ts';
import { actInChat, type ChatActionDeps, type MessageOfChat } from './act-in-chat.ts';

/** Pins a message. Throws as actInChat does. */
export async function pinMessage(deps: ChatActionDeps, bot: Bot, by: Actor, message: MessageOfChat): Promise<void> {
  const { chatId, messageId } = message;
  const connection = await connectionOfMessage(
    deps.db,
    { botId: bot.id, chatId },
    messageId,
    message.businessConnectionId,
  );
  const params = { message_id: messageId, ...connectionParam(connection) };
  return actInChat(deps, bot, by, { method: 'pinChatMessage', chatId, params });
}
