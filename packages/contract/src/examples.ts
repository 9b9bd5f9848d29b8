/** The ids in the examples of all operations, so that the examples fit together. */

export const EXAMPLE_BOT_ID = 7;
export const EXAMPLE_CHAT_ID = -1001234567890;
export const EXAMPLE_USER_ID = 424242;

export const EXAMPLE_CHAT = { bot_id: EXAMPLE_BOT_ID, chat_id: EXAMPLE_CHAT_ID };
export const EXAMPLE_USER_OF_CHAT = { ...EXAMPLE_CHAT, user_id: EXAMPLE_USER_ID };
