import { z } from 'zod';

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
    last_error: z.string(),
    first_failed_at: z.iso.datetime().optional(),
    next_attempt_at: z.iso.datetime().optional(),
    dead_at: z.iso.datetime().optional(),
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
