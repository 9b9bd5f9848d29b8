import { z } from 'zod';
import { botIdField, okField, updateIdField } from './fields.ts';
import { botId, ownIds, pagedInputs } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** Why a delivery failed or was given up: a closed list, which metrics and clients may rely on. */
export const reasonCode = z
  .enum([
    'refused',
    'unreachable',
    'timed_out',
    'forbidden_address',
    'expired',
    'crashed',
    'backend_removed',
    'rules_removed',
    'destination_failed',
    'unstorable',
    'unknown',
  ])
  .meta({
    id: 'ReasonCode',
    description:
      'refused: the backend, or the chat that rules send to, answered with an error. unreachable: no connection, or it ' +
      'broke. timed_out: no whole answer within 60 s. forbidden_address: the backend lies where none may. expired: its ' +
      'time was over before its turn came. crashed: handling it ended three workers. backend_removed, rules_removed: ' +
      'its reader was switched off. destination_failed: rules could not send it to some destination. unstorable: the ' +
      'history cannot keep it. unknown: given up by a release without codes.',
  });

export type ReasonCode = z.infer<typeof reasonCode>;

/** Where rules could not send an update. */
export const failedDestination = z
  .strictObject({
    name: z.string().describe('`rule <id>`, or `the reply` to a routed message.'),
    reason_code: reasonCode.describe('Why.'),
    status: z.int().optional().describe('`error_code` of the platform; absent when it did not answer.'),
    error: z.string().describe('The same for people.'),
  })
  .meta({ id: 'FailedDestination' });

export type FailedDestination = z.infer<typeof failedDestination>;

/** An update that has not reached its backend: one that is tried again, or one that was given up. */
export const deliveryResource = z
  .strictObject({
    id: z.int().optional().describe('Of a dead letter: what redrive takes.'),
    bot_id: botIdField,
    update_id: updateIdField,
    state: z.enum(['retrying', 'dead']).describe('retrying: it is tried again. dead: it was given up.'),
    reader: z.enum(['push', 'rules', 'history']).describe('Who gave up, or tries again.'),
    attempts: z.int().describe('How often it was tried.'),
    last_status: z.int().optional().describe('HTTP status of the last answer; absent when there was none.'),
    reason_code: reasonCode.describe('Why it failed last, or was given up.'),
    last_error: z.string().describe('The same for people: the answer or the fault of the last try.'),
    first_failed_at: z.iso.datetime().optional().describe('Absent when no try has failed.'),
    last_failed_at: z.iso.datetime().describe('When the last try failed.').optional(),
    next_attempt_at: z.iso.datetime().describe('When it is tried again.').optional(),
    expires_at: z.iso.datetime().optional().describe('Of one that is tried again: when it is given up at the latest.'),
    dead_at: z.iso.datetime().describe('When it was given up.').optional(),
    destinations: z.array(failedDestination).optional().describe('Of a dead letter of rules: who never got it.'),
    payload: z.string().optional().describe("Of a dead letter: the update's own JSON text."),
  })
  .meta({ id: 'Delivery' });

export type DeliveryResource = z.infer<typeof deliveryResource>;

/** One try to deliver an update. */
export const attemptResource = z
  .strictObject({
    at: z.iso.datetime().describe('When it was sent.'),
    update_id: updateIdField,
    status: z.int().describe('HTTP status; 0 when there was no answer.'),
    duration_ms: z.int().describe('Milliseconds from sending to the whole answer.'),
    error: z.string().describe('What went wrong; absent when it was delivered.').optional(),
  })
  .meta({ id: 'DeliveryAttempt' });

const redriven = z
  .strictObject({ ok: okField, redriven: z.int().describe('How many are on their way again.') })
  .meta({ id: 'Redriven' });

const FAILURE = 'Wrong response from the webhook: 502 Bad Gateway';

export const deliveryOperations = {
  listDeliveries: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries'],
    role: 'any',
    summary: 'Updates that have not reached their reader: those tried again first, then dead letters, newest first.',
    input: z.object({
      bot_id: botId(),
      state: z.enum(['retrying', 'dead']).optional(),
      ...pagedInputs({ default: 50, max: 200 }),
    }),
    output: z.array(deliveryResource),
    botInputs: ['bot_id'],
    example: {
      input: { bot_id: 7, state: 'retrying' },
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

  listDeliveryAttempts: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries/attempts'],
    role: 'any',
    summary: "The last 100 tries to deliver this bot's updates, newest first.",
    input: z.object({ bot_id: botId() }),
    output: z.array(attemptResource),
    botInputs: ['bot_id'],
    example: {
      input: { bot_id: 7 },
      output: [{ at: '2026-01-02T10:16:00.000Z', update_id: 813, status: 502, duration_ms: 120, error: FAILURE }],
    },
  }),

  redriveDeliveries: defineOperation({
    method: 'POST',
    audit: ['redrive'],
    paths: ['/api/deliveries/redrive'],
    role: 'admin',
    summary:
      'Sends dead letters of push and of rules again, in the order of their updates; all of the bot where no ids are given.',
    input: z.object({ bot_id: botId(), ids: ownIds(1000).describe('Which of them; absent: all.').optional() }),
    output: redriven,
    botInputs: ['bot_id'],
    example: { input: { bot_id: 7, ids: [31, 32] }, output: { ok: true, redriven: 2 } },
  }),
};
