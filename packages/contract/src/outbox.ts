import { z } from 'zod';
import type { CallActor } from './call-actor.ts';
import { column, filled, orNull } from './columns.ts';
import { EXAMPLE_BOT_ID, EXAMPLE_CHAT_ID } from './examples.ts';
import { botIdField, chatIdField, createdAtField, ownIdField, requestIdField } from './fields.ts';
import { anyBotId, ownId, platformId, text } from './inputs.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

/** The most urgent first. */
export const PRIORITIES = ['critical', 'normal', 'bulk'] as const;

export type Priority = (typeof PRIORITIES)[number];

export const OUTBOX_STATES = [
  'scheduled',
  'queued',
  'held',
  'sending',
  'sent',
  'failed',
  'in_doubt',
  'cancelled',
  'expired',
] as const;

export type OutboxState = (typeof OUTBOX_STATES)[number];

/** For how long entries are kept that ended. */
export const OUTBOX_DAYS = 30;

/** How many entries of a bot may wait that were added one by one. */
export const MOST_WAITING = 100_000;

/** How many bytes their parameters may have. */
export const MOST_WAITING_BYTES = 512 * 1024 * 1024;

/** Up to how many entries are counted. */
export const COUNTED_ENTRIES = 10_000;

/** For how long after an entry was cancelled that can be undone. */
export const RESTORABLE_S = 60;

/** How many bytes the JSON of `params` may have. */
export const LARGEST_PARAMS = 65_536;

const LONGEST_IDEMPOTENCY_KEY = 255;

export const priorityField = z
  .enum(PRIORITIES)
  .describe(
    'critical goes before normal, normal before bulk. bulk leaves a fifth of the pace of the bot to the others.',
  );

/** Visible ASCII, as in the header of that name. */
export const idempotencyKey = () =>
  z.string().regex(/^[\x21-\x7e]{1,255}$/, `must be 1 to ${LONGEST_IDEMPOTENCY_KEY} visible characters of ASCII`);

const STATES_NOTE =
  'scheduled: it waits for `send_at`. queued: it waits for its turn. held: who added it lost the right to, so an admin must release or cancel it; `error` says why. sending: the request is being made. sent: the platform took it. failed: the platform refused it, or failed at 25 attempts. in_doubt: the request was made and no answer came, so it may have been sent; it is never repeated by itself. cancelled: somebody cancelled it. expired: `expires_at` passed before it was sent.';

export const outboxEntry = defineResource('OutboxEntry', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  bot_id: { stored: column.bigint, shown: botIdField, filter: anyBotId() },
  chat_id: {
    stored: column.bigint,
    shown: chatIdField,
    filter: platformId().optional().describe('Only entries for this chat.'),
  },
  chat_title: {
    shown: z.string().describe('The title of the chat. Of a private chat, the name of the person.').optional(),
  },
  method: { stored: column.text(), shown: z.string().describe('The method of the Bot API.') },
  params: {
    stored: column.jsonb<Record<string, unknown>>(),
    shown: z.record(z.string(), z.unknown()).describe('Its parameters.'),
  },
  /** Of the JSON of `params`. */
  bytes: { stored: filled(column.integer) },
  /** How many messages the call sends, for the pace. */
  messages: { stored: filled(column.integer) },
  priority: {
    stored: filled(column.text<Priority>()),
    shown: priorityField,
    filter: z.enum(PRIORITIES).optional().describe('Only entries of this priority.'),
  },
  state: {
    stored: column.text<OutboxState>(),
    shown: z.enum(OUTBOX_STATES).describe(STATES_NOTE),
    filter: z.enum(OUTBOX_STATES).optional().describe('Only entries in this state.'),
  },
  send_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().optional().describe('When it is sent at the earliest. Absent: at once.'),
  },
  expires_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().optional().describe('When it expires if it was not sent. Absent: never.'),
  },
  /** `expires_at` as it was handed over, once that was over and it was queued again. */
  first_expires_at: { stored: orNull(column.timestamptz) },
  attempts: {
    stored: filled(column.integer),
    shown: z
      .int()
      .describe('How many attempts were made. One that got 429, or for which there was no connection, counts as none.'),
  },
  next_attempt_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso
      .datetime()
      .optional()
      .describe('When it is tried again. Absent unless an attempt failed, or the platform asked to wait.'),
  },
  error_code: {
    stored: orNull(column.integer),
    shown: z.int().optional().describe("The platform's code of the last refusal."),
  },
  error: {
    stored: orNull(column.text()),
    shown: z
      .string()
      .optional()
      .describe('Why the last attempt failed, why it is not known how it ended, or why it is held.'),
  },
  message_id: {
    stored: orNull(column.bigint),
    shown: z.int().optional().describe('The message that was sent; of several, the first.'),
  },
  result: {
    stored: orNull(column.jsonb<unknown>()),
    shown: z.unknown().optional().describe("The platform's `result`. Absent if it has more than 64 KiB."),
  },
  broadcast_id: {
    stored: orNull(column.bigint),
    shown: z.int().optional().describe('The broadcast that it belongs to.'),
    filter: ownId().describe('Only entries of this broadcast.').optional(),
  },
  idempotency_key: {
    stored: orNull(column.text()),
    shown: z.string().optional().describe('The key that it was added with.'),
  },
  /** Whose keys it uses: `program:3`, `key:7` or `account:5`. */
  author: { stored: orNull(column.text()) },
  /** The claim of the owner that began to send it last; see `outbox_claims`. */
  claim: { stored: orNull(column.bigint) },
  created_by: {
    stored: filled(column.jsonb<CallActor>()),
    shown: z.string().describe('Who added it: the username of an account, or the name of a program.'),
    filter: text({ min: 1, max: 255 })
      .optional()
      .describe('Only entries that this account or program added, as `created_by` shows it.'),
  },
  /** The admin by whose right it goes out since it was held. */
  released_by: { stored: orNull(column.jsonb<CallActor>()) },
  request_id: { shown: requestIdField.optional() },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
  settled_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso
      .datetime()
      .optional()
      .describe('When it was sent, or since when it is tried no more. Absent while it waits.'),
  },
});

export type OutboxEntry = Row<typeof outboxEntry>;

export type OutboxEntryResource = Answer<typeof outboxEntry>;

export const QUEUED: OutboxEntryResource = {
  id: 9001,
  bot_id: EXAMPLE_BOT_ID,
  chat_id: EXAMPLE_CHAT_ID,
  chat_title: 'Customers',
  method: 'sendMessage',
  params: { chat_id: EXAMPLE_CHAT_ID, text: 'Your order is ready.' },
  priority: 'normal',
  state: 'queued',
  attempts: 0,
  idempotency_key: 'order-1729-ready',
  created_by: 'shop',
  created_at: '2026-01-02T10:30:00.000Z',
};

export const SENT: OutboxEntryResource = {
  ...QUEUED,
  state: 'sent',
  attempts: 1,
  message_id: 502,
  result: { message_id: 502, date: 1_767_349_800, chat: { id: EXAMPLE_CHAT_ID, type: 'supergroup' } },
  settled_at: '2026-01-02T10:30:01.000Z',
};
