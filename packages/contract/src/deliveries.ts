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
      '- `refused`: the backend, or the chat that a routing rule sends to, answered with an error\n' +
      '- `unreachable`: there was no connection, or it broke\n' +
      '- `timed_out`: no complete answer came within 60 s\n' +
      '- `forbidden_address`: the backend has an address that is not allowed\n' +
      '- `expired`: the update expired before it could be delivered\n' +
      '- `crashed`: three workers ended while they handled the update\n' +
      '- `backend_removed`, `rules_removed`: forwarding or the routing rules were switched off\n' +
      '- `destination_failed`: routing rules could not send the update to at least one destination\n' +
      '- `unstorable`: the history cannot store the update\n' +
      '- `unknown`: an old release gave the update up without a code',
  });

export type ReasonCode = z.infer<typeof reasonCode>;

/** A destination to which routing rules could not send an update. */
export const failedDestination = z
  .strictObject({
    name: z.string().describe('`rule <id>`; or `the reply`, which is the answer to a routed message.'),
    reason_code: reasonCode.describe('Why it failed, as a code.'),
    status: z.int().optional().describe('The `error_code` of the platform. Absent if it did not answer.'),
    error: z.string().describe('Why it failed, in words.'),
  })
  .meta({ id: 'FailedDestination' });

export type FailedDestination = z.infer<typeof failedDestination>;

/** An update that has not reached its reader: it is retried, or it was given up. */
export const deliveryResource = z
  .strictObject({
    id: z.int().optional().describe('Only for a dead letter: its id, which redrive takes.'),
    bot_id: botIdField,
    update_id: updateIdField,
    state: z.enum(['retrying', 'dead']).describe('retrying: it will be tried again. dead: it was given up.'),
    reader: z.enum(['push', 'rules', 'history']).describe('The reader that retries the update, or gave it up.'),
    attempts: z.int().describe('The number of attempts.'),
    last_status: z.int().optional().describe('The HTTP status of the last answer. Absent if there was none.'),
    reason_code: reasonCode.describe('Why the last attempt failed, or why the update was given up.'),
    last_error: z.string().describe('The same in words: the answer or the error of the last attempt.'),
    first_failed_at: z.iso.datetime().optional().describe('When the first attempt failed. Absent if none failed.'),
    last_failed_at: z.iso.datetime().describe('When the last attempt failed.').optional(),
    next_attempt_at: z.iso.datetime().describe('When the next attempt is made.').optional(),
    expires_at: z.iso.datetime().optional().describe('Only while it is retried: when it is given up at the latest.'),
    dead_at: z.iso.datetime().describe('When it was given up.').optional(),
    destinations: z
      .array(failedDestination)
      .optional()
      .describe('Only for a dead letter of routing rules: the destinations that did not get it.'),
    payload: z.string().optional().describe('Only for a dead letter: the JSON text of the update.'),
  })
  .meta({ id: 'Delivery' });

export type DeliveryResource = z.infer<typeof deliveryResource>;

/** One attempt to deliver an update. */
export const attemptResource = z
  .strictObject({
    at: z.iso.datetime().describe('When it was sent.'),
    update_id: updateIdField,
    status: z.int().describe('The HTTP status. 0: there was no answer.'),
    duration_ms: z.int().describe('Milliseconds from sending to the complete answer.'),
    error: z.string().describe('What went wrong. Absent if the update was delivered.').optional(),
  })
  .meta({ id: 'DeliveryAttempt' });

const redriven = z
  .strictObject({ ok: okField, redriven: z.int().describe('The number of dead letters that are sent again.') })
  .meta({ id: 'Redriven' });

const FAILURE = 'Wrong response from the webhook: 502 Bad Gateway';

export const deliveryOperations = {
  listDeliveries: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries'],
    role: 'any',
    summary:
      'Lists updates that have not reached their reader: first those that are retried, then dead letters, newest first.',
    input: z.object({
      bot_id: botId(),
      state: z.enum(['retrying', 'dead']).optional().describe('Only updates in this state.'),
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
    summary: 'Lists the last 100 attempts to deliver updates of a bot, newest first.',
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
    summary: 'Sends dead letters again, in the order of their updates.',
    description: 'It sends those of push and of routing rules. Without `ids` it sends all of the bot.',
    input: z.object({
      bot_id: botId(),
      ids: ownIds(1000).describe('The ids of the dead letters. Absent: all.').optional(),
    }),
    output: redriven,
    botInputs: ['bot_id'],
    example: { input: { bot_id: 7, ids: [31, 32] }, output: { ok: true, redriven: 2 } },
  }),
};
