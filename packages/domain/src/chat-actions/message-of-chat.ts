/** A message in a chat. */
export interface MessageOfChat {
  chatId: number;
  messageId: number;
}
