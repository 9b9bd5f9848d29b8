import { z } from 'zod';
import { chatId, flag, integer, moment, ownId, platformId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { pagedInputs } from '../paging.ts';
import { okAnswer } from '../resources/answers.ts';
import { MEDIA_TYPES, messageResource } from '../resources/message.ts';

/** Which messages of a chat; all of them must hold. */
const messageFilter = {
  media_type: z.enum(MEDIA_TYPES).optional().describe('Only messages that carry this.'),
  user_id: platformId().optional().describe('Only what this user, or this channel, wrote.'),
  from: moment().optional().describe('Only messages dated then or later.'),
  to: moment().optional().describe('Only messages dated then or earlier.'),
};

export const listMessages = defineOperation({
  name: 'listMessages',
  method: 'GET',
  paths: ['/api/messages'],
  role: 'any',
  summary: 'The messages of a chat, newest first.',
  input: z.object({
    bot_id: ownId(),
    chat_id: chatId(),
    include_deleted: flag().default(false),
    ...messageFilter,
    ...pagedInputs({ default: 50, max: 200 }),
  }),
  output: z.array(messageResource),
  botInputs: ['bot_id'],
});

const PARSE_MODES = ['HTML', 'Markdown', 'MarkdownV2'] as const;

/** The platform takes parse modes in any case. */
const parseMode = z.preprocess(
  (value) =>
    PARSE_MODES.find((mode) => typeof value === 'string' && mode.toLowerCase() === value.toLowerCase()) ?? value,
  z.enum(PARSE_MODES),
);

const sendInputs = {
  bot_id: ownId(),
  chat_id: chatId(),
  text: text({ min: 1, max: 16384 }),
  reply_to_message_id: integer({ min: 1 }).optional(),
  parse_mode: parseMode.optional(),
};

export const sendMessage = defineOperation({
  name: 'sendMessage',
  method: 'POST',
  audit: ['send'],
  paths: ['/api/messages/send'],
  role: 'any',
  summary: 'Sends a text as the bot; the answer comes after it is stored.',
  input: z.object(sendInputs),
  output: messageResource,
  botInputs: ['bot_id'],
  readOnlyFields: Object.keys(messageResource.shape).filter((field) => !(field in sendInputs)),
});

export const searchMessages = defineOperation({
  name: 'searchMessages',
  method: 'GET',
  paths: ['/api/messages/search'],
  role: 'any',
  summary: 'The messages of a chat that have all the words, the last one as a prefix; newest first.',
  input: z.object({
    bot_id: ownId().optional(),
    chat_id: chatId(),
    q: text({ min: 1, max: 256 }).describe('Words in any language; case and accents do not matter.'),
    ...messageFilter,
    ...pagedInputs({ default: 50, max: 200 }),
  }),
  output: z.array(messageResource),
  botInputs: ['bot_id'],
});

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;

export const exportChat = defineOperation({
  name: 'exportChat',
  method: 'GET',
  audit: ['export'],
  paths: ['/api/messages/export'],
  role: 'any',
  summary: 'All messages of a chat, streamed: one JSON object a line, or CSV with a header line.',
  input: z.object({
    bot_id: ownId(),
    chat_id: chatId(),
    format: z.enum(EXPORT_FORMATS).default('ndjson'),
    ...messageFilter,
  }),
  output: z.string(),
  mediaTypes: ['application/x-ndjson', 'text/csv'],
  botInputs: ['bot_id'],
});

const oneMessage = {
  input: z.object({ bot_id: ownId(), chat_id: chatId(), message_id: integer({ min: 1 }) }),
  botInputs: ['bot_id'],
} as const;

export const deleteMessage = defineOperation({
  ...oneMessage,
  name: 'deleteMessage',
  method: 'POST',
  audit: ['delete'],
  paths: ['/api/messages/delete'],
  role: 'any',
  summary: 'Deletes a message for everybody in the chat; our records mark it deleted.',
  output: okAnswer,
});

export const pinMessage = defineOperation({
  ...oneMessage,
  name: 'pinMessage',
  method: 'POST',
  audit: ['pin'],
  paths: ['/api/messages/pin'],
  role: 'any',
  summary: 'Pins a message.',
  output: okAnswer,
});

export const unpinMessage = defineOperation({
  ...oneMessage,
  name: 'unpinMessage',
  method: 'POST',
  audit: ['unpin'],
  paths: ['/api/messages/unpin'],
  role: 'any',
  summary: 'Unpins a message.',
  output: okAnswer,
});
