import { deleteChat, listChats, refreshChat } from '../../operations/chats.ts';
import { documentOperation, PLATFORM_ERRORS } from '../document-operation.ts';
import { CHAT, CHAT_ID } from './resource-examples.ts';

export const chatsDocumentation = [
  documentOperation(listChats, { example: { input: { bot_id: 7, q: 'custom' }, output: [CHAT] } }),
  documentOperation(refreshChat, {
    errors: PLATFORM_ERRORS,
    example: { input: { bot_id: 7, chat_id: CHAT_ID }, output: CHAT },
  }),
  documentOperation(deleteChat, { example: { input: { bot_id: 7, chat_id: CHAT_ID }, output: { ok: true } } }),
];
