import { z } from 'zod';
import { EXAMPLE_BOT_ID, EXAMPLE_USER_ID } from './examples.ts';
import { okField, updateIdField } from './fields.ts';
import { botId, integer, limitInput, listOf, loweredInteger, ownId, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

const MAX_POLL_TIMEOUT_S = 60;

const pollResult = z
  .strictObject({
    ok: okField,
    result: z
      .array(z.looseObject({ update_id: updateIdField }))
      .describe("The updates, oldest first, in the platform's own bytes."),
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

/** The name of a consumer with a cursor of its own. */
export const consumerName = () =>
  z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 of A-Z, a-z, 0-9, _ and -');

export const updateOperations = {
  pollUpdates: defineOperation({
    method: 'GET',
    paths: ['/api/updates/poll'],
    role: 'any',
    changes: true,
    summary: "Polls for a bot's updates. `offset` acknowledges, as in the platform's getUpdates.",
    description:
      'Polling must be on for the bot (`long_poll_enabled`), but not for a program. The call waits until there is an update or until `timeout` passes; then `result` is empty. An update is as the platform sent it.\n\nAny number of clients may poll at the same time, on any replica. A new update goes to every client that waits. `offset` acknowledges for all clients of the same consumer.\n\nA named `consumer` has a cursor of its own. It begins at the oldest update that is kept. It is forgotten after 24 hours without a poll. A bot can have at most 16 of them. A program (`program_id`) is kept until it is deleted. A token of the program polls it by getUpdates. Updates that it does not ask for do not come back once it has acknowledged everything before them.\n\n`allowed_updates` filters this answer only. `limit` counts the updates that pass. Other updates do not end the wait, and an `offset` above them acknowledges them, too. A named consumer may ask for any kind. The default consumer may ask for the kinds that the bot is set to receive.',
    input: z.object({
      bot_id: botId(),
      offset: integer()
        .default(0)
        .describe(
          'The last `update_id` that you have seen, plus one. It acknowledges all updates below it. Negative: counted from the end.',
        ),
      limit: limitInput({ default: 100, max: 100 }),
      timeout: loweredInteger({ min: 0, max: MAX_POLL_TIMEOUT_S })
        .default(30)
        .describe(
          `Seconds to wait for an update. More than ${MAX_POLL_TIMEOUT_S} is lowered. With 0 the answer comes at once.`,
        ),
      allowed_updates: listOf(text({ min: 1, max: 64 }), 100)
        .optional()
        .describe(
          "Only these kinds are in this answer. An empty list means the platform's default set. The list is not stored, and other readers do not notice it.",
        ),
      consumer: consumerName()
        .optional()
        .describe('The name of a consumer with a cursor of its own. Absent: the default consumer.'),
      program_id: ownId()
        .optional()
        .describe(
          'A program of the bot, which has a cursor of its own. Its kinds apply. Not together with `consumer`.',
        ),
    }),
    output: pollResult,
    // The handler writes the answer, because updates keep the platform's own bytes.
    mediaTypes: ['application/json'],
    botInputs: ['bot_id'],
    example: { input: { bot_id: EXAMPLE_BOT_ID, offset: 0, timeout: 30 }, output: { ok: true, result: [UPDATE] } },
  }),
};
