import {
  deleteMessage,
  exportChat,
  listMessages,
  pinMessage,
  searchMessages,
  sendMessage,
  unpinMessage,
} from '../../operations/messages.ts';
import { messageResource } from '../../resources/message.ts';
import { documentOperation, PLATFORM_ERRORS } from '../document-operation.ts';
import { CHAT_ID, MESSAGE, SENT_MESSAGE } from './resource-examples.ts';

const CSV = [
  Object.keys(messageResource.shape).join(','),
  `501,${CHAT_ID},7,${MESSAGE.user_id},ada,Ada,,Where is my order?,${MESSAGE.date},,,,,,false`,
  '',
].join('\r\n');

const ONE_MESSAGE = { bot_id: 7, chat_id: CHAT_ID, message_id: 501 };

export const messagesDocumentation = [
  documentOperation(listMessages, {
    description:
      'By `date`, then by `id`. A chat that is not tracked is an empty list. Filters must all hold; the total counts what passes them.',
    example: { input: { bot_id: 7, chat_id: CHAT_ID, limit: 2 }, output: [SENT_MESSAGE, MESSAGE] },
  }),
  documentOperation(sendMessage, {
    errors: PLATFORM_ERRORS,
    example: {
      input: { bot_id: 7, chat_id: CHAT_ID, text: 'On its way', reply_to_message_id: 501 },
      output: SENT_MESSAGE,
    },
  }),
  documentOperation(searchMessages, {
    example: { input: { bot_id: 7, chat_id: CHAT_ID, q: 'my ord' }, output: [MESSAGE] },
  }),
  documentOperation(exportChat, {
    description:
      "A message is as in the other lists. The answer is streamed: one that breaks off was not complete. In CSV a text that begins with `=`, `+`, `-`, `@`, a tab or a line break, also in full width, has an apostrophe (`'`) before it, so that no spreadsheet runs it as a formula; numbers stay numbers.",
    example: { input: { bot_id: 7, chat_id: CHAT_ID, format: 'ndjson' }, output: `${JSON.stringify(MESSAGE)}\n` },
    otherForms: { 'text/csv': CSV },
  }),
  documentOperation(deleteMessage, {
    errors: PLATFORM_ERRORS,
    example: { input: ONE_MESSAGE, output: { ok: true } },
  }),
  documentOperation(pinMessage, { errors: PLATFORM_ERRORS, example: { input: ONE_MESSAGE, output: { ok: true } } }),
  documentOperation(unpinMessage, { errors: PLATFORM_ERRORS, example: { input: ONE_MESSAGE, output: { ok: true } } }),
];
