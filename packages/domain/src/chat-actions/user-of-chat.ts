/** A user in a chat. */
export interface UserOfChat {
  chatId: number;
  userId: number;
}
