import { z } from 'zod';
import type { CallActor } from './call-actor.ts';
import { CHAT_TYPES } from './chat-queues.ts';
import { column, filled, orNull } from './columns.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { botIdField, createdAtField, ownIdField } from './fields.ts';
import {
  anyBotId,
  botId,
  flag,
  instant,
  integer,
  jsonObject,
  listOf,
  moment,
  nullable,
  ownId,
  pagedInputs,
  platformId,
  platformObject,
  text,
} from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { OUTBOX_DAYS } from './outbox.ts';
import { type Answer, defineResource, type Row } from './resource.ts';
import { tagText } from './tags.ts';

export const BROADCAST_STATES = ['scheduled', 'running', 'paused', 'done', 'cancelled'] as const;
export type BroadcastState = (typeof BROADCAST_STATES)[number];

/** The most chats that an audience may name one by one. */
const MOST_CHAT_IDS = 10_000;
/** How many bytes the JSON of `params` may have: each chat of the audience gets a copy. */
export const LARGEST_BROADCAST_PARAMS = 16_384;
/** For how long broadcasts are kept that ended. */
export const BROADCAST_DAYS = 90;
const FASTEST_BROADCAST = 1_000;

/** How an entry ended that did not reach its chat. */
export const FAILED_STATES = ['failed', 'expired', 'in_doubt'] as const;
/** The longest reason that a filter may name. */
const LONGEST_REASON = 4_096;

const reasonFields = {
  state: z
    .enum(FAILED_STATES)
    .describe('Only chats of which this became. Without it: `failed` and `expired`, since `in_doubt` may have got it.')
    .optional(),
  error: text({ max: LONGEST_REASON }).describe('Only chats with this reason, as `failures` has it.').optional(),
};

const audienceFields = {
  chat_ids: listOf(platformId(), MOST_CHAT_IDS)
    .describe('These chats; those that the bot does not know are left out.')
    .optional(),
  list_id: ownId().describe('The chats of this list (`POST /api/lists/add`) that the bot knows.').optional(),
  failures_of: jsonObject({
    broadcast_id: ownId().describe('A broadcast of the same bot. Its entries are kept for some weeks.'),
    ...reasonFields,
  })
    .describe('Chats that did not get another broadcast.')
    .optional(),
  chat_types: listOf(z.enum(CHAT_TYPES), CHAT_TYPES.length).describe('Chats of these kinds.').optional(),
  tags: listOf(tagText(), 50)
    .describe('Only private chats of people who have one of these tags, in any chat of the bot and in any case.')
    .optional(),
  language_codes: listOf(text({ min: 2, max: 35 }).regex(/^[A-Za-z0-9-]+$/, 'must be a language code such as `de`'), 50)
    .describe(
      'Only private chats of people whose app has one of these languages, as their last message said it. `pt` includes `pt-BR`.',
    )
    .optional(),
  active_since: instant()
    .describe('Only chats with a message of others since this time: ISO 8601 with a zone.')
    .optional(),
  inactive_since: instant()
    .describe('Only chats without a message of others since this time: ISO 8601 with a zone.')
    .optional(),
  exclude_blocked: flag()
    .default(true)
    .describe('False: also people who blocked the bot. Groups that the bot had to leave are never included.'),
};

const audience = z
  .strictObject({
    chat_ids: z
      .array(z.int())
      .describe(audienceFields.chat_ids.description ?? '')
      .optional(),
    list_id: z
      .int()
      .describe(audienceFields.list_id.description ?? '')
      .optional(),
    failures_of: z
      .strictObject({
        broadcast_id: z.int().describe('The broadcast.'),
        state: z
          .enum(FAILED_STATES)
          .describe(reasonFields.state.description ?? '')
          .optional(),
        error: z
          .string()
          .describe(reasonFields.error.description ?? '')
          .optional(),
      })
      .describe(audienceFields.failures_of.description ?? '')
      .optional(),
    chat_types: z
      .array(z.enum(CHAT_TYPES))
      .describe(audienceFields.chat_types.description ?? '')
      .optional(),
    tags: z
      .array(z.string())
      .describe(audienceFields.tags.description ?? '')
      .optional(),
    language_codes: z
      .array(z.string())
      .describe(audienceFields.language_codes.description ?? '')
      .optional(),
    active_since: z.iso
      .datetime()
      .describe(audienceFields.active_since.description ?? '')
      .optional(),
    inactive_since: z.iso
      .datetime()
      .describe(audienceFields.inactive_since.description ?? '')
      .optional(),
    exclude_blocked: z.boolean().describe(audienceFields.exclude_blocked.description ?? ''),
  })
  .meta({ id: 'BroadcastAudience' });

export type BroadcastAudience = z.infer<typeof audience>;

const counts = z
  .strictObject({
    total: z.int().describe('Chats of the audience; it rises while the entries of the outbox are made.'),
    queued: z.int().describe('Chats that still wait, or are being sent to.'),
    sent: z.int().describe('Chats that got it.'),
    failed: z.int().describe('Chats where the platform refused it, or could not be reached often enough.'),
    blocked: z.int().describe('Chats where the bot is not allowed to write. With `dry_run`: those known before.'),
    in_doubt: z.int().describe('Chats of which it is not known whether they got it.'),
    cancelled: z.int().describe('Chats that wait no more, because somebody cancelled it.'),
  })
  .meta({ id: 'BroadcastCounts' });

export type BroadcastCounts = z.infer<typeof counts>;

export const broadcastResource = defineResource('Broadcast', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  bot_id: { stored: column.bigint, shown: botIdField, input: botId(), filter: anyBotId() },
  name: {
    stored: column.text(),
    shown: z.string().describe('What people call it.'),
    input: text({ min: 1, max: 128 }).regex(/\S/, 'must not be blank').describe('What people call it.'),
  },
  audience: {
    stored: column.jsonb<BroadcastAudience>(),
    shown: audience.describe('Who gets it.'),
    input: jsonObject(audienceFields).describe('Who gets it.'),
  },
  method: {
    stored: column.text(),
    shown: z.string().describe('The method of the Bot API.'),
    input: text({ min: 1, max: 64 }).describe('A method that sends, copies or forwards, such as `sendMessage`.'),
  },
  params: {
    stored: column.jsonb<Record<string, unknown>>(),
    shown: z.record(z.string(), z.unknown()).describe('Its parameters, without `chat_id`.'),
    input: platformObject(() => true, 'must be an object').describe(
      `Its parameters without \`chat_id\`, as JSON of up to ${LARGEST_BROADCAST_PARAMS / 1024} KiB. In \`text\` and \`caption\`, \`{first_name}\`, \`{last_name}\` and \`{username}\` stand for those of the person; \`{first_name|friend}\` says what stands for none.`,
    ),
  },
  /** A worker of the release before would send it to others, or without names: it makes no entries of it. */
  needs_new_worker: { stored: filled(column.boolean) },
  /** How many messages the call sends. */
  messages: { stored: filled(column.integer) },
  per_second: {
    stored: orNull(column.integer),
    shown: z.int().describe('The most messages a second. Absent: as fast as the bot may.').optional(),
    input: integer({ min: 1, max: FASTEST_BROADCAST })
      .optional()
      .describe('The most messages a second. The pace of the bot is the limit anyway.'),
  },
  send_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When it begins at the earliest. Absent: at once.').optional(),
    input: moment()
      .optional()
      .describe('When it begins at the earliest, within a year: Unix seconds, or ISO 8601 with a zone.'),
  },
  state: {
    stored: column.text<BroadcastState>(),
    shown: z
      .enum(BROADCAST_STATES)
      .describe(
        'scheduled: it waits for `send_at`. running, paused: as said. done: every chat is settled. cancelled: somebody ended it.',
      ),
    filter: z.enum(BROADCAST_STATES).optional().describe('Only broadcasts in this state.'),
  },
  /** The chat up to which its entries are made, in the order of ids; null: none is. */
  after_chat_id: { stored: orNull(column.bigint) },
  /** Every entry is made. */
  made: { stored: filled(column.boolean) },
  /** The time up to which the messages of `per_second` were released to the outbox. */
  released_to: { stored: orNull(column.timestamptz) },
  /** When those who watch the bot were told of it, and how far it was: the sum of its counts. */
  told_at: { stored: orNull(column.timestamptz) },
  told_progress: { stored: filled(column.bigint) },
  /** Counts of its entries; the last five are written by the trigger of `outbox`. */
  total: { stored: filled(column.bigint) },
  sent: { stored: filled(column.bigint) },
  failed: { stored: filled(column.bigint) },
  blocked: { stored: filled(column.bigint) },
  in_doubt: { stored: filled(column.bigint) },
  cancelled: { stored: filled(column.bigint) },
  counts: { shown: counts.describe('How many chats are how far.') },
  created_by: {
    stored: filled(column.jsonb<CallActor>()),
    shown: z.string().describe('The username of the account that made it.'),
  },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
  started_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When it began. Absent before.').optional(),
  },
  ended_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When its last chat was settled. Absent before.').optional(),
  },
});

export type Broadcast = Row<typeof broadcastResource>;
export type BroadcastResource = Answer<typeof broadcastResource>;

/** The most kinds of failures that a broadcast shows. */
export const MOST_FAILURES = 50;

const failure = z.strictObject({
  state: z.enum(FAILED_STATES).describe('What became of these chats.'),
  error_code: z.int().describe("The platform's code. Absent if it did not answer.").optional(),
  error: z.string().describe('Why it failed, or why it is not known if it was sent.'),
  count: z.int().describe('The number of chats.'),
});

const shownBroadcast = z
  .strictObject({
    ...broadcastResource.answer.shape,
    failures: z
      .array(failure)
      .describe(
        `Why chats did not get it, the most frequent first, at most ${MOST_FAILURES}. The entries that say so are kept for ${OUTBOX_DAYS} days.`,
      ),
  })
  .meta({ id: 'ShownBroadcast' });

export type ShownBroadcast = z.infer<typeof shownBroadcast>;

/** The answer of a dry run: the broadcast as it would be, without an id. */
const addedBroadcast = z
  .strictObject({
    ...broadcastResource.answer.shape,
    id: ownIdField.optional().describe('The id in Flotilla. Absent with `dry_run`.'),
  })
  .meta({ id: 'AddedBroadcast' });

const RUNNING: BroadcastResource = {
  id: 12,
  bot_id: EXAMPLE_BOT_ID,
  name: 'Opening hours in January',
  audience: { chat_types: ['private'], tags: ['customer'], exclude_blocked: true },
  method: 'sendMessage',
  params: { text: 'We are open again from 9 January.' },
  state: 'running',
  counts: { total: 12_400, queued: 9_210, sent: 3_150, failed: 2, blocked: 38, in_doubt: 0, cancelled: 0 },
  per_second: 15,
  created_by: 'grace',
  created_at: '2026-01-02T10:30:00.000Z',
  started_at: '2026-01-02T10:30:00.000Z',
};

const FAILURES: ShownBroadcast['failures'] = [
  { state: 'failed', error_code: 403, error: 'Forbidden: bot was blocked by the user', count: 38 },
  { state: 'failed', error_code: 400, error: 'Bad Request: chat not found', count: 2 },
];

const FAILURE_FORMATS = ['csv', 'ndjson'] as const;
/** The fields of a line of exported failures. */
export const FAILURE_COLUMNS = [
  'chat_id',
  'username',
  'first_name',
  'state',
  'error_code',
  'error',
  'settled_at',
] as const;

const choice = z.strictObject({
  tag: z.string().describe('The tag.'),
  people: z.int().describe('People who have it.'),
});
const choices = z
  .strictObject({
    tags: z.array(choice).describe('Tags of people whom the bot can write to, that of most people first.'),
    languages: z
      .array(
        z.strictObject({
          language_code: z.string().describe('The language, without a country.'),
          people: z.int().describe('People whose app has it.'),
        }),
      )
      .describe('Their languages, that of most people first.'),
  })
  .meta({ id: 'AudienceChoices' });

export type AudienceChoices = z.infer<typeof choices>;

const { bot_id: _, per_second, send_at, ...others } = broadcastResource.changeInputs;
const updateInputs = {
  ...others,
  per_second: nullable(per_second).describe('The most messages a second. null: the pace of the bot.'),
  send_at: nullable(send_at).describe('When it begins at the earliest, within a year. null: at once.'),
};

const change = {
  method: 'POST',
  role: 'any',
  right: 'broadcast',
  input: z.object({ id: ownId() }),
  output: broadcastResource.answer,
  errors: ['not_found', 'conflict'],
} as const;

export const broadcastOperations = {
  addBroadcast: defineOperation({
    method: 'POST',
    audit: ['broadcast_add'],
    paths: ['/api/broadcasts/add'],
    role: 'any',
    right: 'broadcast',
    summary: 'Sends one message to many chats of a bot.',
    description: `The audience is named by \`chat_ids\`, \`list_id\`, \`failures_of\` or \`chat_types\`; all its other fields narrow it. It has chats that the bot knows:
private chats whose person wrote, and groups and channels that the bot is in. It is looked up when the broadcast begins. A worker makes an
entry of the outbox for each chat (\`GET /api/outbox?broadcast_id=\`), with the priority \`bulk\`. They go out in the order of their
chats' ids, within the pace of the bot. What costs Stars (\`allow_paid_broadcast\`) and invoices are for admins.

With \`dry_run\` nothing is stored and nothing is sent: \`counts\` says how many chats the audience has now, and how many more would be in it had
they not blocked the bot. An account runs at most four searches at once, and such a count is one.`,
    input: z.object({
      ...broadcastResource.addInputs,
      dry_run: flag().default(false).describe('True: nothing is stored, the answer only counts.'),
    }),
    output: addedBroadcast,
    botInputs: ['bot_id'],
    keyed: 'stored',
    errors: ['not_found', 'too_many_requests'],
    example: {
      input: {
        ...{ bot_id: EXAMPLE_BOT_ID, name: RUNNING.name, audience: { chat_types: ['private'], tags: ['customer'] } },
        ...{ method: RUNNING.method, params: RUNNING.params, per_second: RUNNING.per_second },
      },
      output: { ...RUNNING, counts: { ...RUNNING.counts, total: 0, queued: 0, sent: 0, failed: 0, blocked: 0 } },
    },
  }),

  listBroadcasts: defineOperation({
    method: 'GET',
    paths: ['/api/broadcasts'],
    role: 'any',
    summary: 'Lists broadcasts, newest first.',
    description: `Those that ended are kept for ${BROADCAST_DAYS} days.`,
    input: z.object({
      ...broadcastResource.filters,
      ...pagedInputs({ default: 50, max: 200 }),
    }),
    output: z.array(broadcastResource.answer),
    botInputs: ['bot_id'],
    example: { input: { bot_id: EXAMPLE_BOT_ID, state: 'running' }, output: [RUNNING] },
  }),

  showBroadcast: defineOperation({
    method: 'GET',
    paths: ['/api/broadcasts/show'],
    role: 'any',
    summary: 'Shows a broadcast, and why chats did not get it.',
    input: z.object({ id: ownId() }),
    output: shownBroadcast,
    errors: ['not_found'],
    example: { input: { id: RUNNING.id }, output: { ...RUNNING, failures: FAILURES } },
  }),

  updateBroadcast: defineOperation({
    ...change,
    audit: ['broadcast_update'],
    paths: ['/api/broadcasts/update'],
    summary: 'Changes a broadcast that has not begun.',
    description:
      'Fields that are not given stay. `send_at: null` begins it at once, `per_second: null` takes the limit away. One that was paused before its time stays paused.',
    input: z.object({ id: ownId(), ...updateInputs }),
    readOnlyFields: fieldsBeside(broadcastResource.answer, { id: true, ...updateInputs }),
    example: { input: { id: RUNNING.id, per_second: 10 }, output: { ...RUNNING, state: 'scheduled' } },
  }),

  listAudienceChoices: defineOperation({
    method: 'GET',
    paths: ['/api/broadcasts/choices'],
    role: 'any',
    right: 'broadcast',
    summary: 'Lists the tags and languages of the people whom a bot can write to, with how many people have each.',
    description: 'An account runs at most four searches at once, and this counts as one.',
    input: z.object({
      bot_id: botId(),
      q: text({ max: 64 }).default('').describe('Only tags that contain this, in any case.'),
    }),
    output: choices,
    botInputs: ['bot_id'],
    errors: ['too_many_requests'],
    example: {
      input: { bot_id: EXAMPLE_BOT_ID, q: 'cust' },
      output: { tags: [{ tag: 'customer', people: 12_400 }], languages: [{ language_code: 'de', people: 9_100 }] },
    },
  }),

  exportBroadcastFailures: defineOperation({
    method: 'GET',
    audit: ['export'],
    paths: ['/api/broadcasts/failures'],
    role: 'any',
    right: 'broadcast',
    summary: 'Exports the chats that did not get a broadcast, with the reason.',
    description: `The answer is streamed. Entries are kept for ${OUTBOX_DAYS} days. To write to these chats again, name them as \`failures_of\` of an audience.`,
    input: z.object({
      id: ownId(),
      format: z
        .enum(FAILURE_FORMATS)
        .default('csv')
        .describe('csv: with a header line. ndjson: one JSON object per line.'),
      ...reasonFields,
    }),
    output: z.string(),
    mediaTypes: ['text/csv', 'application/x-ndjson'],
    errors: ['not_found'],
    example: {
      input: { id: RUNNING.id },
      output: `${FAILURE_COLUMNS.join(',')}\r\n5,ada,Ada,failed,403,Forbidden: bot was blocked by the user,2026-01-02T10:31:00.000Z\r\n`,
    },
  }),

  pauseBroadcast: defineOperation({
    ...change,
    audit: ['broadcast_pause'],
    paths: ['/api/broadcasts/pause'],
    summary: 'Pauses a broadcast: no further message of it is begun.',
    description: 'Messages that are being sent end by themselves. One that has ended cannot be paused.',
    example: { input: { id: RUNNING.id }, output: { ...RUNNING, state: 'paused' } },
  }),

  resumeBroadcast: defineOperation({
    ...change,
    audit: ['broadcast_resume'],
    paths: ['/api/broadcasts/resume'],
    summary: 'Lets a paused broadcast go on.',
    example: { input: { id: RUNNING.id }, output: RUNNING },
  }),

  cancelBroadcast: defineOperation({
    ...change,
    audit: ['broadcast_cancel'],
    paths: ['/api/broadcasts/cancel'],
    summary: 'Ends a broadcast: chats that still wait get nothing.',
    description: 'Messages that are being sent end by themselves. It cannot be resumed.',
    example: { input: { id: RUNNING.id }, output: { ...RUNNING, state: 'cancelled' } },
  }),
};
