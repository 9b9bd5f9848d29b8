import { z } from 'zod';
import { flag, integer, ownId, platformId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { pagedInputs } from '../paging.ts';
import { messageResource } from '../resources/message.ts';

export const listMessages = defineOperation({
  name: 'listMessages',
  method: 'GET',
  paths: ['/api/messages'],
  role: 'any',
  summary: 'The messages of a chat, newest first.',
  input: z.object({
    bot_id: ownId(),
    chat_id: platformId(),
    include_deleted: flag().default(false),
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
  chat_id: platformId(),
  text: text({ min: 1, max: 16384 }),
  reply_to_message_id: integer({ min: 1 }).optional(),
  parse_mode: parseMode.optional(),
};

export const sendMessage = defineOperation({
  name: 'sendMessage',
  method: 'POST',
  paths: ['/api/messages/send'],
  role: 'any',
  summary: 'Sends a text as the bot; the answer comes after it is stored.',
  input: z.object(sendInputs),
  output: messageResource,
  botInputs: ['bot_id'],
  readOnlyFields: Object.keys(messageResource.shape).filter((field) => !(field in sendInputs)),
});
