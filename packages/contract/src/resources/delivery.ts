import { z } from 'zod';

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
    reason_code: reasonCode,
    status: z.int().optional().describe('`error_code` of the platform; absent when it did not answer.'),
    error: z.string(),
  })
  .meta({ id: 'FailedDestination' });

export type FailedDestination = z.infer<typeof failedDestination>;

/** An update that has not reached its backend: one that is tried again, or one that was given up. */
export const deliveryResource = z
  .strictObject({
    id: z.int().optional().describe('Of a dead letter: what redrive takes.'),
    bot_id: z.int(),
    update_id: z.int(),
    state: z.enum(['retrying', 'dead']),
    reader: z.enum(['push', 'rules', 'history']).describe('Who gave up, or tries again.'),
    attempts: z.int(),
    last_status: z.int().optional().describe('HTTP status of the last answer; absent when there was none.'),
    reason_code: reasonCode,
    last_error: z.string().describe('The same for people: the answer or the fault of the last try.'),
    first_failed_at: z.iso.datetime().optional().describe('Absent when no try has failed.'),
    last_failed_at: z.iso.datetime().optional(),
    next_attempt_at: z.iso.datetime().optional(),
    expires_at: z.iso.datetime().optional().describe('Of one that is tried again: when it is given up at the latest.'),
    dead_at: z.iso.datetime().optional(),
    destinations: z.array(failedDestination).optional().describe('Of a dead letter of rules: who never got it.'),
    payload: z.string().optional().describe("Of a dead letter: the update's own JSON text."),
  })
  .meta({ id: 'Delivery' });

/** One try to deliver an update. */
export const attemptResource = z
  .strictObject({
    at: z.iso.datetime(),
    update_id: z.int(),
    status: z.int().describe('HTTP status; 0 when there was no answer.'),
    duration_ms: z.int(),
    error: z.string().optional(),
  })
  .meta({ id: 'DeliveryAttempt' });

export type Delivery = z.infer<typeof deliveryResource>;
