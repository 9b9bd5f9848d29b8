import { z } from 'zod';
import { EXAMPLE_CHAT, EXAMPLE_CHAT_ID, EXAMPLE_USER_ID } from './examples.ts';
import { anyBotId, botId, chatId, flag, integer, moment, pagedInputs, platformId, text, threadId } from './inputs.ts';
import { CSV_COLUMNS, MEDIA_TYPES, MESSAGE, messageResource, SENT_MESSAGE } from './messages.ts';
import { note as noteResource } from './notes.ts';
import { defineOperation } from './operation.ts';

const foundMessage = messageResource
  .extend({
    chat_title: z.string().describe('The title of the chat. Of a private chat, the name of the person.').optional(),
    highlights: z
      .array(
        z.strictObject({
          offset: z.int().describe('Where it begins in `text`, in UTF-16 code units.'),
          length: z.int().describe('Its length in UTF-16 code units.'),
        }),
      )
      .describe('The parts of `text` that match, in their order; the first 50.'),
    note: noteResource.answer
      .pick({ account_id: true, account: true, account_name: true, mentions: true })
      .optional()
      .describe('Of an internal note, which `notes` adds: who wrote it. Its `id` is that of the note.'),
  })
  .meta({ id: 'FoundMessage' });

export type FoundMessageResource = z.infer<typeof foundMessage>;

const CSV = [
  CSV_COLUMNS.join(','),
  `501,${EXAMPLE_CHAT_ID},7,${EXAMPLE_USER_ID},ada,Ada,,Where is my order?,${MESSAGE.date},,,,,,false,,,,,,,,,,,,,,,,`,
  '',
].join('\r\n');

/** Filters for the messages of a chat; all must match. */
const messageFilter = {
  media_type: z.enum(MEDIA_TYPES).optional().describe('Only messages with this `media_type`.'),
  user_id: platformId()
    .optional()
    .describe('Only messages of this author: a user, or a channel or group that wrote as itself.'),
  business_connection_id: text({ max: 256 })
    .optional()
    .describe('Only messages of this business connection; empty: only messages of none.'),
  thread_id: threadId().optional().describe('Only messages of this topic. 0: those of none, and those of General.'),
  from: moment().optional().describe('Only messages of this time or later: Unix seconds, or ISO 8601 with a zone.'),
  to: moment().optional().describe('Only messages of this time or earlier, in the same forms.'),
};

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;

export const messageOperations = {
  listMessages: defineOperation({
    method: 'GET',
    paths: ['/api/messages'],
    role: 'any',
    summary: 'Lists the messages of a chat, newest first.',
    description:
      'They are sorted by `date`, then by `id`. The list of a chat that is not tracked is empty. All given filters must match. `X-Total-Count` counts only the messages that match.\n\n`around` and `after` begin anywhere in the chat. Their `Link` header has `rel="prev"` for the newer messages and `rel="next"` for the older ones, where there are any; the order is always newest first. Messages that come meanwhile move no page.',
    input: z.object({
      bot_id: botId(),
      chat_id: chatId(),
      around: integer()
        .describe(
          'The id of a message. The answer has this message, if it matches, with up to half of the rows newer and the others older.',
        )
        .optional(),
      after: text({ min: 1, max: 300 })
        .describe(
          'The id of a message, or the cursor from a `Link` header. The answer has the messages right after it.',
        )
        .optional(),
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
      "In NDJSON, a message has the same fields as in the lists; CSV has no `entities`, `buttons` and `forward_origin`. The answer is streamed. If the connection breaks off, the export is not complete.\n\nIn CSV, a text that begins with `=`, `+`, `-`, `@`, a tab or a line break, also in full width, gets an apostrophe (`'`) before it. So no spreadsheet runs it as a formula. Numbers stay numbers.",
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
    summary: 'Searches the messages of a chat, of a bot or of all bots, newest first.',
    description:
      'Without `chat_id` the messages of the bot are searched; without `bot_id`, too, those of all bots that the caller sees. A chat includes the group that it was before it became a supergroup. A message must have all the words, in any form: in English and Russian, `orders` finds `order`. Of the last word, the beginning is enough. Case, accents, Arabic vowel signs and skin tones do not matter, an emoji is a word, and Chinese, Japanese and Thai are found by any part.\n\nMessages are sorted by `date`, then by `id`. `before` pages stably while messages arrive. `X-Total-Count` is exact in a chat of up to 20,000 messages, up to 1,000 matches. Else, while a `Link` goes on, it is a lower bound: of frequent words only the messages that were read for the page are counted, of others up to 200. A search that takes longer than 4 s is ended with a 503; it ends, too, when the client disconnects.',
    input: z.object({
      bot_id: anyBotId().describe(
        'The id of the bot in Flotilla. Without it: all bots that the caller sees; with `chat_id`, the one of them that tracks the chat.',
      ),
      chat_id: chatId().optional(),
      q: text({ min: 1, max: 256 }).describe('Words in any language; case and accents do not matter.'),
      notes: flag()
        .default(false)
        .describe(
          'True: internal notes are found, too, where `user_id`, `media_type` and `thread_id` are not given. Further pages are read by `before`.',
        ),
      ...messageFilter,
      ...pagedInputs({ default: 50, max: 200 }),
    }),
    output: z.array(foundMessage),
    botInputs: ['bot_id'],
    limits: ['searches'],
    errors: ['too_many_requests'],
    example: {
      input: { q: 'my ord' },
      output: [{ ...MESSAGE, chat_title: 'Customers', highlights: [{ offset: 9, length: 8 }] }],
    },
  }),
};
