import { z } from 'zod';
import { EXAMPLE_BOT_ID, EXAMPLE_USER_ID } from './examples.ts';
import { okField, updateIdField } from './fields.ts';
import { botId, integer, limitInput, listOf, loweredInteger, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

export const MAX_POLL_TIMEOUT_S = 60;

const pollResult = z
  .strictObject({
    ok: okField,
    result: z
      .array(z.looseObject({ update_id: updateIdField }))
      .describe('The updates, oldest first, in the bytes of the platform.'),
  })
  .meta({ id: 'PollResult' });

const UPDATE = {
  update_id: 813,
  message: {
    message_id: 501,
    from: { id: EXAMPLE_USER_ID, is_bot: false, first_name: 'Ada' },
    chat: { id: EXAMPLE_USER_ID, type: 'private', first_name: 'Ada' },
    date: 1767348900,
    text: 'Where is my order?',
  },
};

export const updateOperations = {
  pollUpdates: defineOperation({
    method: 'GET',
    paths: ['/api/updates/poll'],
    role: 'any',
    summary: "A long poll for a bot's updates; offset acknowledges as the platform's getUpdates does.",
    description:
      'Polling must be on for the bot (`long_poll_enabled`). It blocks until an update is there or `timeout` passes; then `result` is empty. Any number of clients may poll at once, on any replica: each of those that wait gets a new update. `offset` acknowledges for everyone on the same consumer. A named `consumer`, of which a bot has at most 16, has a place of its own: it begins at the oldest update kept and is forgotten after 24 hours without a poll. `allowed_updates` filters this answer: `limit` counts what passes, other updates end no wait, and they are acknowledged by an `offset` above them as any other. A named consumer may ask for any kind, the default one for those that the bot is set to receive. An update is as the platform sent it.',
    input: z.object({
      bot_id: botId(),
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
    output: pollResult,
    // Written by the handler, because updates keep the bytes of the platform.
    mediaTypes: ['application/json'],
    botInputs: ['bot_id'],
    example: { input: { bot_id: EXAMPLE_BOT_ID, offset: 0, timeout: 30 }, output: { ok: true, result: [UPDATE] } },
  }),
};
