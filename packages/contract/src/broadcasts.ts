import { z } from 'zod';
import { audience, audienceFields, type BroadcastAudience, FAILED_STATES } from './broadcast-audience.ts';
import type { CallActor } from './call-actor.ts';
import { column, filled, orNull } from './columns.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { botIdField, createdAtField, ownIdField } from './fields.ts';
import { anyBotId, botId, integer, jsonObject, moment, platformObject, text } from './inputs.ts';
import { OUTBOX_DAYS } from './outbox.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

export const BROADCAST_STATES = ['scheduled', 'running', 'paused', 'done', 'cancelled'] as const;

export type BroadcastState = (typeof BROADCAST_STATES)[number];

/** How many bytes the JSON of `params` may have: each chat of the audience gets a copy. */
export const LARGEST_BROADCAST_PARAMS = 16_384;

/** For how long broadcasts are kept that ended. */
export const BROADCAST_DAYS = 90;

const FASTEST_BROADCAST = 1_000;

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

export const shownBroadcast = z
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

export const RUNNING: BroadcastResource = {
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
