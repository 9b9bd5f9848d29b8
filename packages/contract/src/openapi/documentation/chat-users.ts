import { banChatUser, listChatUsers, unbanChatUser } from '../../operations/chat-users.ts';
import { documentOperation, PLATFORM_ERRORS } from '../document-operation.ts';
import { CHAT_ID } from './resource-examples.ts';

const USER = { id: 424242, username: 'ada', first_name: 'Ada', is_bot: false };

export const chatUsersDocumentation = [
  documentOperation(listChatUsers, {
    example: { input: { bot_id: 7, chat_id: CHAT_ID, q: 'ada' }, output: [USER] },
  }),
  documentOperation(banChatUser, {
    description: 'The platform decides whether the bot may; what it says against it comes back as a 400.',
    errors: PLATFORM_ERRORS,
    example: { input: { bot_id: 7, chat_id: CHAT_ID, user_id: 424242, revoke_messages: true }, output: { ok: true } },
  }),
  documentOperation(unbanChatUser, {
    errors: PLATFORM_ERRORS,
    example: { input: { bot_id: 7, chat_id: CHAT_ID, user_id: 424242 }, output: { ok: true } },
  }),
];
