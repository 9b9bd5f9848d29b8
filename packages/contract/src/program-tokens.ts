import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { botIdField, createdAtField, okAnswer, okField, ownIdField } from './fields.ts';
import { instant, integer, jsonObject, listOf, ownId, pagedInputs, platformId, text, threadId } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { PRIORITIES, type Priority } from './outbox.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

const METHODS_NOTE =
  'What it may call: names of Bot API methods, or the groups read, send, edit, moderate, files and payments. An admin may name a method that we do not know, as the Bot API writes it, or all such methods by the group `new`; once a release knows a method, it belongs to its own group. Absent: every method but those of managed bots (getManagedBotToken and its like), which must be named, by an admin of all bots, and those that spend Stars (sendGift, giftPremiumSubscription, refundStarPayment, transferBusinessAccountStars, upgradeGift, transferGift). Two names allow parameters: without `payments`, a call with `allow_paid_broadcast` or `suggested_post_parameters` is refused, and inline results with an invoice; without `local_files`, `file:` in place of a file, by which a Bot API server in local mode reads a file of its own disk. A caller who is not an admin may name only read, send, edit, moderate and files, methods of these groups, setWebhook and deleteWebhook; without a list, the token of such a caller gets all of these. getMe, getWebhookInfo, deleteWebhook, setWebhook with an empty `url`, logOut and close are always allowed, and concern the program alone.';
const CHATS_NOTE =
  'The chats that it may touch, by id. Absent: every chat. A call that does not name its chats by id is refused, and so is one with a parameter that we do not know; a method that we do not know must be named, and is taken to act in its `chat_id`; `new` stands here only for those that begin with send, edit, forward, copy, delete, pin or unpin (not for `deleteMyCommands` and its like, nor for sticker sets), without parameters that name people, gifts, Stars, stories or queries (`user_id`, `gift_id`, `star_count` and their like); getUpdates gives it the updates of these chats only, and passes over others. So tokens that may poll one program must have the same chats, and all chats in which the program takes updates alone.';
const THREADS_NOTE =
  'The topics of its chat that it may touch, by id; only with exactly one chat in `chats`. 0: outside every topic, and General; 1: General. Absent: every topic. A call must name one of them in `message_thread_id`, unless it is outside topics, and messages that it answers, changes, forwards or copies must be in them, as the history knows them. Refused is what acts in the whole chat (a ban, a title, a new topic), what shows messages of any topic (getChat), and ephemeral messages. getUpdates gives it the updates of these topics only, and nothing that names no topic, such as a reaction. Tokens that may poll one program must have the same topics.';
const PRIORITY_NOTE =
  'The priority of what it hands over to the outbox, if it is lower than that of its program. Absent: that of its program.';
const RATE_NOTE = 'How many calls it may make. Further calls are answered with 429.';

export const programTokenResource = defineResource('ProgramToken', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  program_id: {
    stored: column.bigint,
    shown: z.int().describe('The program that it belongs to.'),
    input: ownId().describe('The program that it is for.'),
  },
  name: {
    stored: column.text(),
    shown: z.string().describe('A name for people.'),
    input: text({ min: 1, max: 64 }).regex(/\S/, 'must not be blank').describe('A name for people.'),
  },
  /** SHA-256 of the token, hex; unique. */
  token_hash: { stored: column.text() },
  token_prefix: { stored: column.text() },
  prefix: { shown: z.string().describe('The first characters of the token. They help you to recognise it.') },
  /** A JSON array, as are `chats` and `threads`. null: no limit. */
  methods: {
    stored: orNull(column.text()),
    shown: z.array(z.string()).optional().describe(METHODS_NOTE),
    input: listOf(text({ min: 1, max: 64 }), 200)
      .refine((names) => names.length > 0, 'must name a method or a group; leave it out to allow every method')
      .describe(METHODS_NOTE)
      .optional(),
  },
  chats: {
    stored: orNull(column.text()),
    shown: z.array(z.int()).optional().describe(CHATS_NOTE),
    input: listOf(platformId(), 1000)
      .refine((chats) => chats.length > 0, 'must name a chat; leave it out to allow every chat')
      .describe(CHATS_NOTE)
      .optional(),
  },
  threads: {
    stored: orNull(column.text()),
    shown: z.array(z.int()).optional().describe(THREADS_NOTE),
    input: listOf(threadId(), 100)
      .refine((threads) => threads.length > 0, 'must name a topic; leave it out to allow every topic')
      .describe(THREADS_NOTE)
      .optional(),
  },
  per_second: { stored: orNull(column.integer) },
  per_minute: { stored: orNull(column.integer) },
  rate: {
    shown: z
      .strictObject({
        per_second: z.int().optional().describe('The most calls in a second.'),
        per_minute: z.int().optional().describe('The most calls in a minute.'),
      })
      .describe(RATE_NOTE)
      .optional(),
    input: jsonObject({
      per_second: integer({ min: 1, max: 10_000 }).describe('The most calls in a second.').optional(),
      per_minute: integer({ min: 1, max: 600_000 }).describe('The most calls in a minute.').optional(),
    })
      .describe(RATE_NOTE)
      .optional(),
  },
  priority: {
    stored: orNull(column.text<Priority>()),
    shown: z.enum(PRIORITIES).optional().describe(PRIORITY_NOTE),
    input: z.enum(PRIORITIES).optional().describe(PRIORITY_NOTE),
  },
  expires_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When it expires. Absent: never.').optional(),
    input: instant()
      .describe('When it stops working: ISO 8601 with a zone. Absent: never, or with the API key that makes it.')
      .optional(),
  },
  last_used_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When it was last used, to the minute. Absent: never.').optional(),
  },
  made_by: {
    stored: column.text(),
    shown: z.string().describe('The account that made it, by the username it had then.'),
  },
  /** The id of that account, which may be deleted since. */
  made_by_id: { stored: column.bigint },
  /** The API key that it was made with; null for a session. */
  made_by_key: { stored: orNull(column.bigint) },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type ProgramTokenRow = Row<typeof programTokenResource>;
export type ProgramTokenResource = Answer<typeof programTokenResource>;

/** The answer to the end of an account or key: the tokens that it made, which go on with their programs. */
export const okWithTokens = z
  .strictObject({
    ok: okField,
    program_tokens: z
      .array(
        z.strictObject({
          id: ownIdField,
          name: z.string().describe('A name for people.'),
          prefix: z.string().describe('The first characters of the token.'),
          program_id: z.int().describe('The program that it belongs to.'),
          program_name: z.string().describe('The name of that program.'),
          bot_id: botIdField,
          expires_at: z.iso.datetime().describe('When it expires. Absent: never.').optional(),
        }),
      )
      .describe(
        'The tokens of programs that it made and that go on working, because a token belongs to its program. `/api/programs/tokens/delete` revokes one.',
      ),
  })
  .meta({ id: 'OkWithTokens' });

export const EXAMPLE_OK_WITH_TOKENS: z.infer<typeof okWithTokens> = {
  ok: true,
  program_tokens: [
    { id: 11, name: 'agency', prefix: '123456:fvQ9ex', program_id: 4, program_name: 'orders', bot_id: EXAMPLE_BOT_ID },
  ],
};

const newProgramToken = programTokenResource.answer
  .extend({ token: z.string().describe('The token itself. It is never shown again.') })
  .meta({ id: 'NewProgramToken' });

const TOKEN: ProgramTokenResource = {
  id: 11,
  program_id: 4,
  name: 'agency',
  prefix: '123456:fvQ9ex',
  methods: ['send', 'getFile'],
  chats: [-1001234567890],
  rate: { per_second: 5, per_minute: 60 },
  expires_at: '2030-01-01T00:00:00.000Z',
  made_by: 'anna',
  created_at: '2026-01-02T10:10:00.000Z',
};

export const programTokenOperations = {
  listProgramTokens: defineOperation({
    method: 'GET',
    paths: ['/api/programs/tokens'],
    role: 'any',
    summary: 'Lists the tokens of a program, oldest first.',
    input: z.object({ program_id: ownId().describe('The program.'), ...pagedInputs() }),
    output: z.array(programTokenResource.answer),
    errors: ['not_found'],
    example: { input: { program_id: 4 }, output: [TOKEN] },
  }),

  addProgramToken: defineOperation({
    method: 'POST',
    audit: ['program_token_add'],
    paths: ['/api/programs/tokens/add'],
    role: 'any',
    summary: 'Makes a token for a program and shows it, this once.',
    description: `Client libraries use it in place of the bot's own token, with the proxy as their API root. getUpdates then reads at the
program's cursor. setWebhook gives the program a backend, which acts by its answers with the limits of this token and ends with
it; a token that is limited to chats sets one if \`filter.chat_ids\` of the program has no others, and as long as this is so. Other
calls are made as the bot. Its
messages name the program in the history. The audit log names it where it has an entry for an act of the bot: a ban, a deletion,
a title; not for each message. The bot's own token appears in no answer.

Its methods also say how it gets updates: without getUpdates it cannot poll, without setWebhook it cannot set a webhook. What a
poll reads or passes over is confirmed for the whole program. So a token that may poll is refused if another one polls the program
with other chats, or if the program takes updates alone in chats that the token does not have. Give it the same chats, other
methods, or a program of its own.

A token belongs to its program. It goes on when the key that made it is deleted, or its account, whose deletion lists it; \`made_by\`
shows who made it. A key that expires makes none that outlives it: without \`expires_at\` the token ends with the key, and a later
\`expires_at\` is refused.

A refused call is answered in the platform's form, with 403, or with 429
and \`retry_after\`. While Redis is away, it is 503 for every token of a program, because the token may have been revoked.`,
    input: z.object(programTokenResource.addInputs),
    output: newProgramToken,
    readOnlyFields: fieldsBeside(programTokenResource.answer, programTokenResource.addInputs),
    errors: ['not_found'],
    example: {
      input: {
        program_id: 4,
        name: 'agency',
        methods: ['send', 'getFile'],
        chats: [-1001234567890],
        rate: { per_second: 5, per_minute: 60 },
        expires_at: '2030-01-01T00:00:00Z',
      },
      output: { ...TOKEN, token: '123456:fvQ9example0example0example0exampl' },
    },
  }),

  deleteProgramToken: defineOperation({
    method: 'POST',
    audit: ['program_token_delete'],
    paths: ['/api/programs/tokens/delete'],
    role: 'any',
    summary: 'Revokes a token of a program. It stops working everywhere within 5 s.',
    description:
      'The webhook that it set, if its program still has that one, is deleted: the program pulls again, and loses nothing.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(programTokenResource.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 11 }, output: { ok: true } },
  }),
};
