import { z } from 'zod';
import { CONVERSATION_ERRORS, PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT } from './examples.ts';
import { okAnswer } from './fields.ts';
import { botId, businessConnectionId, chatId, flag, integer, text, threadId } from './inputs.ts';
import { MEDIA_TYPES, messageResource, SENT_MESSAGE } from './messages.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { inlineKeyboard, replyMarkup } from './reply-markup.ts';

/** The options of a sent message. */
const SENT_MEDIA = MEDIA_TYPES.filter((type) => type !== 'callback');

export type SentMedia = (typeof SENT_MEDIA)[number];

/** The platform's own limit. */
const FILE_BYTES = 50 * 1024 * 1024;

export const PARSE_MODES = ['HTML', 'Markdown', 'MarkdownV2'] as const;

/** The platform accepts parse modes in any case. */
export const parseMode = z
  .preprocess(
    (value) =>
      PARSE_MODES.find((mode) => typeof value === 'string' && mode.toLowerCase() === value.toLowerCase()) ?? value,
    z.enum(PARSE_MODES),
  )
  .describe('How the text is marked up. Case does not matter.');

const sendInputs = {
  bot_id: botId(),
  chat_id: chatId(),
  business_connection_id: businessConnectionId().optional(),
  text: text({ max: 16384 }).describe('The text, or the caption of a medium.').optional(),
  parse_mode: parseMode.optional(),
  media_type: z
    .enum(SENT_MEDIA)
    .describe('How a file is shown. Required with `file_id` and `url`. [by the content type of the file]')
    .optional(),
  file_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,256}$/, 'must be the file_id of a message')
    .describe('A file that the bot has sent or received.')
    .optional(),
  url: text({ min: 1, max: 2048 })
    .regex(/^https?:\/\/[^\s]+$/, 'must be an address that begins with http:// or https://')
    .describe('An address from which the platform fetches the file.')
    .optional(),
  reply_to_message_id: integer({ min: 1 }).describe('The message to reply to.').optional(),
  thread_id: threadId()
    .describe(
      'The topic of a forum or of a private chat. 0 or 1: none, which in a forum is General. [the topic of the message to reply to]',
    )
    .optional(),
  direct_messages_topic_id: integer({ min: 1 })
    .describe("The topic of a channel's direct messages: the person to whom the message goes. Messages there have it.")
    .optional(),
  disable_notification: flag().describe('True: the message arrives without a sound.').optional(),
  reply_markup: replyMarkup()
    .describe('Buttons, a keyboard, its removal, or a forced reply; as in the Bot API.')
    .optional(),
  renews_hold: flag()
    .default(false)
    .describe(
      'For API keys: true if a person answers, so that the time of a chat that is taken over begins anew. An answer of a signed-in person always does that.',
    ),
};

const messageId = () => integer({ min: 1 }).describe("The platform's id of the message, a counter of its chat.");

const editInputs = {
  bot_id: botId(),
  chat_id: chatId(),
  message_id: messageId(),
  business_connection_id: businessConnectionId().optional(),
  text: text({ max: 16384 }).describe('The new text, or the new caption. Only a caption may be empty.'),
  parse_mode: parseMode.optional(),
  reply_markup: inlineKeyboard()
    .describe('The buttons under the message. Without it, the message has none.')
    .optional(),
};

const oneMessageInputs = {
  bot_id: botId(),
  chat_id: chatId(),
  message_id: messageId(),
  business_connection_id: businessConnectionId().optional(),
};

const oneMessage = {
  input: z.object(oneMessageInputs),
  botInputs: ['bot_id'],
  readOnlyFields: fieldsBeside(messageResource, oneMessageInputs),
  output: okAnswer,
  errors: [...CONVERSATION_ERRORS, ...PLATFORM_ERRORS],
  example: { input: { ...EXAMPLE_CHAT, message_id: 501 }, output: { ok: true } },
} as const;

/** Actions as the bot: each call goes to the platform. */
export const messageActionOperations = {
  sendMessage: defineOperation({
    method: 'POST',
    audit: ['send'],
    paths: ['/api/messages/send'],
    role: 'any',
    summary: 'Sends a message as the bot: a text, or a medium with a caption.',
    description:
      'The answer comes after the message is stored.\n\nA medium is one of three: a `file` in a multipart body, a `file_id`, or a `url`. The `file` must be the last part of the body, because it is streamed to the platform and not kept. So what the platform refuses (a photo of more than 10 MB, for example) is known only after it has come. A file that breaks off, or takes longer than 10 minutes, is not sent. An account can send 8 files at once to one process.',
    input: z.object(sendInputs),
    aliases: { caption: 'text', message_thread_id: 'thread_id' },
    file: {
      limitBytes: FILE_BYTES,
      description:
        'The file, up to 50 MB. Without `media_type`, pictures, MP4, GIF, MP3, M4A and OGG are shown as such, and all else is a document.',
    },
    output: messageResource,
    botInputs: ['bot_id'],
    keyed: 'once',
    readOnlyFields: fieldsBeside(messageResource, sendInputs),
    errors: [...CONVERSATION_ERRORS, ...PLATFORM_ERRORS],
    example: { input: { ...EXAMPLE_CHAT, text: 'On its way', reply_to_message_id: 501 }, output: SENT_MESSAGE },
  }),

  editMessage: defineOperation({
    method: 'POST',
    audit: ['edit'],
    paths: ['/api/messages/edit'],
    role: 'any',
    summary: 'Edits a message of the bot.',
    description:
      'It replaces the text of a message, or the caption of a message that is stored with a medium. A message that is not stored counts as a text. The platform refuses to edit a message that the bot has not sent. The answer comes after the change is stored.',
    input: z.object(editInputs),
    output: messageResource,
    botInputs: ['bot_id'],
    keyed: 'once',
    readOnlyFields: fieldsBeside(messageResource, editInputs),
    errors: [...CONVERSATION_ERRORS, ...PLATFORM_ERRORS],
    example: {
      input: { ...EXAMPLE_CHAT, message_id: 502, text: 'It is on its way' },
      output: { ...SENT_MESSAGE, text: 'It is on its way', edited_at: '2026-01-02T10:16:40.000Z' },
    },
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
