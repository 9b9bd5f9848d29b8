import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { botIdField, chatIdField, okField, updateIdField } from './fields.ts';
import { anyBotId, botId, integer, listOf, moment, pagedInputs, text } from './inputs.ts';
import { defineOperation } from './operation.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

/** Why an attempt, or the delivery itself, failed: a closed list, which metrics and clients may rely on. */
export const REASON_CODES = [
  'refused',
  'unreachable',
  'timed_out',
  'forbidden_address',
  'not_signed',
  'expired',
  'crashed',
  'backend_removed',
  'rules_removed',
  'destination_failed',
  'too_far_behind',
  'unstorable',
  'skipped',
  'unknown',
] as const;

export const reasonCode = z.enum(REASON_CODES).meta({
  id: 'ReasonCode',
  description:
    '- `refused`: the backend, the chat that a routing rule sends to, or the platform asked about a bot to adopt, answered with an error\n' +
    '- `unreachable`: there was no connection, or it broke\n' +
    '- `timed_out`: no complete answer came within 60 s\n' +
    '- `forbidden_address`: the backend has an address that is not allowed\n' +
    '- `not_signed`: the secret that signs deliveries cannot be opened\n' +
    '- `expired`: the update expired before it could be delivered\n' +
    '- `crashed`: three workers ended while they handled the update\n' +
    '- `backend_removed`, `rules_removed`: forwarding or the routing rules were switched off; or the program that took the update alone was deleted\n' +
    '- `destination_failed`: routing rules could not send the update to at least one destination\n' +
    '- `too_far_behind`: the program stayed behind its limit and was parked\n' +
    '- `unstorable`: the history cannot store the update\n' +
    '- `skipped`: a person skipped it, so that later updates of its chat go on\n' +
    '- `unknown`: a later release gave the update up for a reason that this one does not know',
});

export type ReasonCode = z.infer<typeof reasonCode>;

export const READERS = ['push', 'rules', 'history', 'program'] as const;
export type DeliveryReader = (typeof READERS)[number];

/** Which program it is, beside `reader`. */
export const programFields = {
  program_id: z.int().optional().describe('Only for a program: its id.'),
  program_name: z.string().optional().describe('Only for a program that is known: its name.'),
};
const anyProgramId = () => integer({ min: 1 }).optional().describe('Only updates of this program.');

/** A destination to which routing rules could not send an update. */
export const failedDestination = z
  .strictObject({
    name: z
      .string()
      .describe(
        '`rule <id>`, for the router `rule <id>, bot <id>` if you may see that bot; or `the reply`, which is the answer to a routed message.',
      ),
    reason_code: reasonCode.describe('Why it failed, as a code.'),
    status: z.int().optional().describe('The `error_code` of the platform. Absent if it did not answer.'),
    error: z.string().describe('Why it failed, in words.'),
  })
  .meta({ id: 'FailedDestination' });

export type FailedDestination = z.infer<typeof failedDestination>;

/**
 * An update that has not reached its reader: it is retried, or it failed. What is stored is a failed delivery, whose `payload`
 * is the update's own bytes: text and never jsonb, which would change them.
 */
export const deliveryResource = defineResource('Delivery', {
  id: {
    stored: filled(column.bigint),
    shown: z.int().optional().describe('Only for a failed delivery: its id, which redrive takes.'),
  },
  bot_id: {
    stored: column.bigint,
    shown: botIdField.describe(
      'The id of the bot in Flotilla. 0: a record of the history that was damaged so that its bot cannot be read.',
    ),
  },
  update_id: { stored: column.bigint, shown: updateIdField },
  state: { shown: z.enum(['retrying', 'dead']).describe('retrying: it is retried. dead: it failed, for good.') },
  /** Stored as 'push', 'rules', 'history' or 'program:<id>'. */
  reader: {
    stored: column.text(),
    shown: z
      .enum(READERS)
      .describe('The reader that retries the update, or at which it failed. push: the backend of the bot.'),
  },
  program_id: { shown: programFields.program_id },
  program_name: { shown: programFields.program_name },
  /** Stored as 0 where there is none; null: a release before this column wrote the row. */
  chat_id: { stored: orNull(column.bigint), shown: chatIdField.optional() },
  kind: { shown: z.string().optional().describe('The kind of the update, such as message.') },
  person_name: { shown: z.string().optional().describe('Who wrote or pressed it. Absent: nobody, or it is not kept.') },
  excerpt: { shown: z.string().optional().describe('The beginning of its text, at most 120 characters.') },
  attempts: { stored: column.integer, shown: z.int().describe('The number of attempts.') },
  last_status: {
    stored: orNull(column.integer),
    shown: z.int().optional().describe('The HTTP status of the last answer. Absent if there was none.'),
  },
  /** A later release may have stored a code that is not of the list. */
  reason_code: {
    stored: column.text(),
    shown: reasonCode.describe('Why the last attempt failed, or why the update failed.'),
  },
  reason: { stored: column.text() },
  last_error: {
    shown: z.string().describe('The same in words: the answer or the error of the last attempt.'),
  },
  first_failed_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().optional().describe('When the first attempt failed. Absent if none failed.'),
  },
  last_failed_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When the last attempt failed.').optional(),
  },
  next_attempt_at: { shown: z.iso.datetime().describe('When the next attempt is made.').optional() },
  expires_at: {
    shown: z.iso.datetime().optional().describe('Only while it is retried: when it fails at the latest.'),
  },
  created_at: { stored: filled(column.timestamptz) },
  dead_at: { shown: z.iso.datetime().describe('When it failed for good.').optional() },
  /** JSON. */
  destinations: {
    stored: orNull(column.text()),
    shown: z
      .array(failedDestination)
      .optional()
      .describe('Only for a failed delivery of routing rules: the destinations that did not get it.'),
  },
  response_excerpt: {
    stored: orNull(column.text()),
    shown: z
      .string()
      .optional()
      .describe(
        'The beginning of the last answer of the backend, without secrets: of a failed delivery up to 1,024 characters, or 256 if it expired between two attempts; while it is retried up to 256. Absent if there was no answer, or an empty one.',
      ),
  },
  payload: {
    stored: column.text(),
    shown: z.string().optional().describe('Only for a failed delivery: the JSON text of the update.'),
  },
  /** The program took the update alone, so that nobody else has it. */
  exclusive: { stored: filled(column.boolean) },
  /** Prevents a second row when the stream is read again: '<shard>:<stream id>'. */
  capture_key: { stored: orNull(column.text()) },
});

export type DeadLetter = Row<typeof deliveryResource>;
export type DeliveryResource = Answer<typeof deliveryResource>;

/** An HTTP status, a class of them, or 0. */
export const statusInput = () =>
  z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z.string().regex(/^(0|[1-5](xx|[0-9]{2}))$/, 'must be an HTTP status, a class such as 5xx, or 0 for no answer'),
  );

/** The conditions of a list, a redrive or a discard; all given ones must hold. */
export const filterFields = {
  reader: z.enum(READERS).optional().describe('Only updates of this reader.'),
  program_id: anyProgramId(),
  reason_code: z.enum(REASON_CODES).optional().describe('Only this reason. `ReasonCode` says what each one means.'),
  status: statusInput()
    .optional()
    .describe('Only this HTTP status of the last answer: `502`; a class of them: `5xx`; or `0`: there was no answer.'),
  since: moment()
    .optional()
    .describe('Only what failed, or was last tried, at this time or later: Unix seconds, or ISO 8601 with a zone.'),
  until: moment().optional().describe('The same before this time, in the same forms.'),
  q: text({ min: 1, max: 256 })
    .optional()
    .describe('An update id, or a part of `last_error`. Case does not matter. Payloads are not searched.'),
};

export type DeliveryFilter = z.output<z.ZodObject<typeof filterFields>>;

/** An example of what a failed attempt says. */
export const FAILURE = 'Wrong response from the webhook: 502 Bad Gateway';

/** Updates that one reader of a bot retries. */
const chosenRetrying = {
  bot_id: botId(),
  reader: z.enum(['push', 'rules', 'program']).describe('The reader that retries them.'),
  program_id: integer({ min: 1 }).optional().describe('With the reader program: which one.'),
  update_ids: listOf(integer({ min: 0 }), 200).describe('The ids of the updates.'),
};

const acted = z
  .strictObject({
    ok: okField,
    done: z.int().describe('How many updates it was done to.'),
    refused: z.int().describe('How many are not retried any more, or are being tried at this moment.'),
  })
  .meta({ id: 'ActedOnRetrying' });

const RETRYING_EXAMPLE = {
  input: { bot_id: 7, reader: 'push' as const, update_ids: [813] },
  output: { ok: true as const, done: 1, refused: 0 },
};

export const deliveryOperations = {
  listDeliveries: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries'],
    role: 'any',
    summary:
      'Lists updates that have not reached their reader: first those that are retried, then failed deliveries, newest first.',
    description:
      'Without `bot_id` it lists those of all bots that the caller sees. All given filters must match. Of the updates that are retried, the first 10,000 that match are listed; `X-Total-Count` counts all.',
    input: z.object({
      bot_id: anyBotId(),
      state: z.enum(['retrying', 'dead']).optional().describe('Only updates in this state.'),
      ...filterFields,
      ...pagedInputs({ default: 50, max: 200 }),
    }),
    output: z.array(deliveryResource.answer),
    botInputs: ['bot_id'],
    example: {
      input: { state: 'retrying', reader: 'push', status: '5xx', q: 'bad gateway' },
      output: [
        {
          bot_id: 7,
          update_id: 813,
          state: 'retrying',
          reader: 'push',
          attempts: 3,
          last_status: 502,
          reason_code: 'refused',
          last_error: FAILURE,
          first_failed_at: '2026-01-02T10:16:04.000Z',
          last_failed_at: '2026-01-02T10:16:06.000Z',
          next_attempt_at: '2026-01-02T10:16:10.000Z',
          expires_at: '2026-01-03T10:16:04.000Z',
        },
      ],
    },
  }),

  tryDeliveriesNow: defineOperation({
    method: 'POST',
    audit: ['delivery_try'],
    paths: ['/api/deliveries/try-now'],
    role: 'any',
    summary: 'Has updates that are retried tried now, before what else waits for their reader.',
    description:
      'While the backend counts as unreachable, the first of them is its next probe. Once a second is possible for a reader of a bot.',
    errors: ['too_many_requests'],
    input: z.object(chosenRetrying),
    output: acted,
    botInputs: ['bot_id'],
    example: RETRYING_EXAMPLE,
  }),

  skipDeliveries: defineOperation({
    method: 'POST',
    audit: ['delivery_skip'],
    paths: ['/api/deliveries/skip'],
    role: 'any',
    summary: 'Skips updates that are retried, so that later ones of their chats go on.',
    description: 'Each becomes a failed delivery with the reason `skipped`, which can be redelivered.',
    input: z.object(chosenRetrying),
    output: acted,
    botInputs: ['bot_id'],
    example: RETRYING_EXAMPLE,
  }),

  showDeliveredUpdate: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries/update'],
    role: 'any',
    summary: 'Shows an update of a bot as its readers get it, while it is kept.',
    description:
      'An update is in memory until every reader has it. A failed delivery keeps its update until it is redelivered or discarded.',
    input: z.object({ bot_id: botId(), update_id: integer({ min: 0 }).describe('The id of the update.') }),
    output: z
      .strictObject({
        payload: z
          .string()
          .optional()
          .describe("The JSON text of the update, in the platform's own bytes. Absent if it is not kept any more."),
      })
      .meta({ id: 'KeptUpdate' }),
    botInputs: ['bot_id'],
    example: {
      input: { bot_id: 7, update_id: 813 },
      output: { payload: '{"update_id":813,"message":{"message_id":5,"text":"/status"}}' },
    },
  }),
};
