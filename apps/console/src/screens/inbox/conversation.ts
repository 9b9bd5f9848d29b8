type Conversation = { botId: number; chatId: number; connection?: string | undefined };

/** How the api is told which conversation of a chat is meant: that of the bot itself, or of a business connection. */
export function conversationOf({ botId, chatId, connection }: Conversation) {
  const chat = { bot_id: botId, chat_id: chatId };
  // Business connections have private chats only.
  return chatId > 0 ? { ...chat, business_connection_id: connection ?? '' } : chat;
}

/** The same of a message. */
export function conversationOfMessage(message: {
  bot_id: number;
  chat_id: number;
  business_connection_id?: string | undefined;
}) {
  const { bot_id: botId, chat_id: chatId, business_connection_id: connection } = message;
  return conversationOf({ botId, chatId, connection });
}
