type Conversation = { bot_id: number; chat_id: number; connection?: string | undefined };

/** How the api is told which conversation of a chat is meant: that of the bot itself, or of a business connection. */
export function conversationOf({ bot_id, chat_id, connection }: Conversation) {
  const chat = { bot_id, chat_id };
  // Business connections have private chats only.
  return chat_id > 0 ? { ...chat, business_connection_id: connection ?? '' } : chat;
}

/** The same of a message. */
export function conversationOfMessage(message: {
  bot_id: number;
  chat_id: number;
  business_connection_id?: string | undefined;
}) {
  const { bot_id, chat_id, business_connection_id: connection } = message;
  return conversationOf({ bot_id, chat_id, connection });
}
