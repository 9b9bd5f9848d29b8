import { z } from 'zod';
import { integer, listOf, loweredInteger, ownId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { limitInput } from '../paging.ts';

export const MAX_POLL_TIMEOUT_S = 60;

export const pollUpdates = defineOperation({
  name: 'pollUpdates',
  method: 'GET',
  paths: ['/api/updates/poll'],
  role: 'any',
  summary: "A long poll for a bot's updates; offset acknowledges as the platform's getUpdates does.",
  input: z.object({
    bot_id: ownId(),
    offset: integer()
      .default(0)
      .describe('The last update_id seen plus one: what lies before it is acknowledged. Negative: from the end.'),
    limit: limitInput({ default: 100, max: 100 }),
    timeout: loweredInteger({ min: 0, max: MAX_POLL_TIMEOUT_S })
      .default(30)
      .describe(`Seconds to wait for an update; more than ${MAX_POLL_TIMEOUT_S} is lowered. 0 answers at once.`),
    allowed_updates: listOf(text({ min: 1, max: 64 }), 100)
      .optional()
      .describe(
        "Only these kinds are in this answer; an empty list means the platform's default set. Nothing is stored, and other readers get what they got.",
      ),
    consumer: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 of A-Z, a-z, 0-9, _ and -')
      .optional()
      .describe('A named consumer has a place of its own in the log.'),
  }),
  output: z
    .strictObject({ ok: z.literal(true), result: z.array(z.looseObject({ update_id: z.int() })) })
    .meta({ id: 'PollResult' }),
  botInputs: ['bot_id'],
});
