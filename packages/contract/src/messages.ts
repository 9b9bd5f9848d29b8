import { z } from 'zod';
import { PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT, EXAMPLE_CHAT_ID, EXAMPLE_USER_ID } from './examples.ts';
import { botIdField, chatIdField, nameFields, okAnswer, userIdField } from './fields.ts';
import { botId, botIdOfChat, chatId, flag, integer, moment, pagedInputs, platformId, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';

export const MEDIA_TYPES = [
  'photo',
  'video',
  'animation',
  'sticker',
  'voice',
  'audio',
  'document',
  'video_note',
  'callback',
] as const;

export const messageResource = z
  .strictObject({
    id: z
      .int()
      .describe(
        "The platform's id of the message, a counter of its chat. It is negative for a callback and for a ban.",
      ),
    chat_id: chatIdField,
    bot_id: botIdField,
    user_id: userIdField.optional(),
    ...nameFields,
    text: z
      .string()
      .describe(
        'The text or the caption. Of a callback: the data of its button. Otherwise: what `service` names, in words.',
      )
      .optional(),
    date: z.int().describe('The date in Unix seconds.'),
    media_type: z.enum(MEDIA_TYPES).describe('What the message carries. Absent for text.').optional(),
    file_id: z.string().describe('The id that `GET /api/files` takes. Absent if there is no file.').optional(),
    reply_to_message_id: z
      .int()
      .describe('The message that this one answers. Of a callback: the message with the button.')
      .optional(),
    edited_at: z.iso.datetime().describe('When it was last edited. Absent: never.').optional(),
    deleted_at: z.iso.datetime().describe('When it was deleted. Absent: it is not deleted.').optional(),
    outgoing: z.boolean().describe('True if the bot itself sent it.'),
    service: z
      .string()
      .describe(
        'The kind of a message that is no plain text and carries no media: joined, left, pinned, title_changed, photo_changed, photo_deleted, chat_created, migrated, ban, unban, unsupported, or the name of its field in the Bot API, such as location, contact, dice, poll.',
      )
      .optional(),
  })
  .meta({ id: 'Message' });

export type MessageResource = z.infer<typeof messageResource>;

const MESSAGE: MessageResource = {
  id: 501,
  chat_id: EXAMPLE_CHAT_ID,
  bot_id: 7,
  user_id: EXAMPLE_USER_ID,
  username: 'ada',
  first_name: 'Ada',
  text: 'Where is my order?',
  date: 1767348900,
  outgoing: false,
};

const SENT_MESSAGE: MessageResource = {
  id: 502,
  chat_id: EXAMPLE_CHAT_ID,
  bot_id: 7,
  user_id: 123456789,
  username: 'helpdesk_bot',
  first_name: 'Help desk',
  text: 'On its way',
  date: 1767348960,
  reply_to_message_id: 501,
  outgoing: true,
};

const CSV = [
  Object.keys(messageResource.shape).join(','),
  `501,${EXAMPLE_CHAT_ID},7,${EXAMPLE_USER_ID},ada,Ada,,Where is my order?,${MESSAGE.date},,,,,,false,`,
  '',
].join('\r\n');

/** Filters for the messages of a chat; all must match. */
const messageFilter = {
  media_type: z.enum(MEDIA_TYPES).optional().describe('Only messages with this `media_type`.'),
  user_id: platformId().optional().describe('Only messages of this user or channel.'),
  from: moment().optional().describe('Only messages of this time or later: Unix seconds, or ISO 8601 with a zone.'),
  to: moment().optional().describe('Only messages of this time or earlier, in the same forms.'),
};

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;

const PARSE_MODES = ['HTML', 'Markdown', 'MarkdownV2'] as const;

/** The platform accepts parse modes in any case. */
const parseMode = z
  .preprocess(
    (value) =>
      PARSE_MODES.find((mode) => typeof value === 'string' && mode.toLowerCase() === value.toLowerCase()) ?? value,
    z.enum(PARSE_MODES),
  )
  .describe('How the text is marked up. Case does not matter.');

const sendInputs = {
  bot_id: botId(),
  chat_id: chatId(),
  text: text({ min: 1, max: 16384 }).describe('The text to send.'),
  reply_to_message_id: integer({ min: 1 }).describe('The message to reply to.').optional(),
  parse_mode: parseMode.optional(),
};

const oneMessage = {
  input: z.object({
    bot_id: botId(),
    chat_id: chatId(),
    message_id: integer({ min: 1 }).describe("The platform's id of the message, a counter of its chat."),
  }),
  botInputs: ['bot_id'],
  output: okAnswer,
  errors: PLATFORM_ERRORS,
  example: { input: { ...EXAMPLE_CHAT, message_id: 501 }, output: { ok: true } },
} as const;

export const messageOperations = {
  listMessages: defineOperation({
    method: 'GET',
    paths: ['/api/messages'],
    role: 'any',
    summary: 'Lists the messages of a chat, newest first.',
    description:
      'They are sorted by `date`, then by `id`. The list of a chat that is not tracked is empty. All given filters must match. `X-Total-Count` counts only the messages that match.',
    input: z.object({
      bot_id: botId(),
      chat_id: chatId(),
      include_deleted: flag().describe('True: deleted messages are listed, too.').default(false),
      ...messageFilter,
      ...pagedInputs({ default: 50, max: 200 }),
    }),
    output: z.array(messageResource),
    botInputs: ['bot_id'],
    example: { input: { ...EXAMPLE_CHAT, limit: 2 }, output: [SENT_MESSAGE, MESSAGE] },
  }),

  exportChat: defineOperation({
    method: 'GET',
    audit: ['export'],
    paths: ['/api/messages/export'],
    role: 'any',
    summary: 'Exports the messages of a chat: one JSON object per line, or CSV with a header line.',
    description:
      "A message has the same fields as in the lists. The answer is streamed. If the connection breaks off, the export is not complete.\n\nIn CSV, a text that begins with `=`, `+`, `-`, `@`, a tab or a line break, also in full width, gets an apostrophe (`'`) before it. So no spreadsheet runs it as a formula. Numbers stay numbers.",
    input: z.object({
      bot_id: botId(),
      chat_id: chatId(),
      format: z
        .enum(EXPORT_FORMATS)
        .default('ndjson')
        .describe('ndjson: one JSON object per line. csv: with a header line.'),
      ...messageFilter,
    }),
    output: z.string(),
    mediaTypes: ['application/x-ndjson', 'text/csv'],
    botInputs: ['bot_id'],
    example: { input: { ...EXAMPLE_CHAT, format: 'ndjson' }, output: `${JSON.stringify(MESSAGE)}\n` },
    otherForms: { 'text/csv': CSV },
  }),

  searchMessages: defineOperation({
    method: 'GET',
    paths: ['/api/messages/search'],
    role: 'any',
    summary: 'Searches the messages of a chat, newest first.',
    description: 'A message must have all the words. Of the last word, the beginning is enough.',
    input: z.object({
      bot_id: botIdOfChat(),
      chat_id: chatId(),
      q: text({ min: 1, max: 256 }).describe('Words in any language; case and accents do not matter.'),
      ...messageFilter,
      ...pagedInputs({ default: 50, max: 200 }),
    }),
    output: z.array(messageResource),
    botInputs: ['bot_id'],
    example: { input: { ...EXAMPLE_CHAT, q: 'my ord' }, output: [MESSAGE] },
  }),

  sendMessage: defineOperation({
    method: 'POST',
    audit: ['send'],
    paths: ['/api/messages/send'],
    role: 'any',
    summary: 'Sends a text as the bot.',
    description: 'The answer comes after the message is stored.',
    input: z.object(sendInputs),
    output: messageResource,
    botInputs: ['bot_id'],
    readOnlyFields: fieldsBeside(messageResource, sendInputs),
    errors: PLATFORM_ERRORS,
    example: { input: { ...EXAMPLE_CHAT, text: 'On its way', reply_to_message_id: 501 }, output: SENT_MESSAGE },
  }),

  deleteMessage: defineOperation({
    ...oneMessage,
    method: 'POST',
    audit: ['delete'],
    paths: ['/api/messages/delete'],
    role: 'any',
    summary: 'Deletes a message for everybody in the chat.',
    description: 'Flotilla keeps the message and marks it as deleted.',
  }),

  pinMessage: defineOperation({
    ...oneMessage,
    method: 'POST',
    audit: ['pin'],
    paths: ['/api/messages/pin'],
    role: 'any',
    summary: 'Pins a message.',
  }),

  unpinMessage: defineOperation({
    ...oneMessage,
    method: 'POST',
    audit: ['unpin'],
    paths: ['/api/messages/unpin'],
    role: 'any',
    summary: 'Unpins a message.',
  }),
};
