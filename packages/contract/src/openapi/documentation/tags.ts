import { addTag, listTags, listTagsOfUser, removeTag } from '../../operations/tags.ts';
import { documentOperation } from '../document-operation.ts';
import { CHAT_ID, TAG } from './resource-examples.ts';

const ADA = { bot_id: 7, chat_id: CHAT_ID, user_id: 424242 };

export const tagsDocumentation = [
  documentOperation(listTags, { example: { input: { bot_id: 7, chat_id: CHAT_ID }, output: [TAG] } }),
  documentOperation(listTagsOfUser, { example: { input: ADA, output: [TAG] } }),
  documentOperation(addTag, {
    errors: ['conflict'],
    example: { input: { ...ADA, username: 'ada', tag: 'VIP', color: '#CC3300' }, output: TAG },
  }),
  documentOperation(removeTag, { errors: ['not_found'], example: { input: { id: 3 }, output: { ok: true } } }),
];
