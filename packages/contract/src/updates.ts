import { z } from 'zod';
import { attemptResource } from './delivery-attempts.ts';
import { EXAMPLE_BOT_ID, EXAMPLE_USER_ID } from './examples.ts';
import { chatIdField, okField, updateIdField } from './fields.ts';
import { beforeInput, botId, flag, integer, limitInput, listOf, loweredInteger, ownId, text } from './inputs.ts';
import { messageResource } from './messages.ts';
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

const UPDATE_SOURCES = ['polling', 'webhook', 'redrive', 'held'] as const;
const VIA_NOTE =
  'How it came last: from getUpdates, from a push of the platform, again from a failed delivery, or after it was held for people.';

const UPDATE_OUTCOMES = ['delivered', 'waiting', 'filtered', 'dead', 'dropped', 'held', 'expired'] as const;

const readerOfUpdate = z
  .strictObject({
    reader: z.string().describe('As in `GET /api/bots/readers`: push, pull, rules, consumer:<name> or program:<id>.'),
    program_id: z.int().describe('Only for a program: its id.').optional(),
    program_name: z.string().describe('Only for a program: its name.').optional(),
    outcome: z
      .enum(UPDATE_OUTCOMES)
      .describe(
        'delivered: a backend accepted it, rules sent it on, or a client that polls has acknowledged it or passed it. waiting: it is still to come, or to be retried. filtered: it was not for this reader. dead, expired: it failed, and is not retried any more. dropped: a routing rule kept it from the backend. held: a person had taken the chat over.',
      ),
    filtered_by: z
      .string()
      .optional()
      .describe(
        'Only if it is filtered or dropped. allowed_updates: a kind that the bot did not ask for. kinds, filter: of the program. rules: no rule meets it, or one drops it. program:<id>: that program took it alone.',
      ),
    attempts: z
      .array(attemptResource)
      .describe('The attempts of this reader, oldest first. Those that poll make none.'),
  })
  .meta({ id: 'ReaderOfUpdate' });

const callOfUpdate = z
  .strictObject({
    at: z.iso.datetime().describe('When it was made. Of a message of the history: the second of its date.'),
    how: z
      .enum(['answer', 'reply', 'after'])
      .describe(
        "How it belongs to the update. answer: it was in the answer of a backend, which is certain. reply: within ten minutes, the bot replied to the update's message. after: the bot wrote in that chat within a minute, before anybody else did; it may have had another reason.",
      ),
    reader: z.string().optional().describe('Only with answer: the reader whose backend made the call.'),
    program_id: z.int().optional().describe('The program that made it, where that is known.'),
    method: z.string().optional().describe('Only with answer: the method.'),
    error: z.string().optional().describe('Only with answer: why the call was not made, or was refused.'),
    message: messageResource.optional().describe('The message that it sent, while the history has it.'),
  })
  .meta({ id: 'CallOfUpdate' });

const shownUpdate = z
  .strictObject({
    update: z
      .looseObject({})
      .optional()
      .describe(
        'The update as its readers get it. It is kept while one of them needs it, and in a failed delivery. Absent afterwards: then `message` has what the history knows.',
      ),
    message: messageResource.optional().describe('The message that the update is about, while the history has it.'),
    accepted_at: z.iso.datetime().optional().describe('When Flotilla accepted it. Absent if nobody knows any more.'),
    via: z.enum(UPDATE_SOURCES).optional().describe(VIA_NOTE),
    kind: z.string().optional().describe('The kind of the update, such as message.'),
    chat_id: chatIdField.optional(),
    readers: z.array(readerOfUpdate).describe('What became of it at each reader of the bot that had it or may get it.'),
    calls: z.array(callOfUpdate).describe('The calls of the Bot API that it led to, oldest first.'),
  })
  .meta({ id: 'ShownUpdate' });

export type ShownUpdateResource = z.infer<typeof shownUpdate>;

const pastUpdate = z
  .strictObject({
    update_id: updateIdField,
    at: z.iso.datetime().describe('When Flotilla accepted it.'),
    via: z.enum(UPDATE_SOURCES).describe(VIA_NOTE),
    kind: z.string().describe('The kind of the update, such as message.'),
    chat_id: chatIdField.optional(),
    message: messageResource.optional().describe('The message that it is about, while the history has it.'),
  })
  .meta({ id: 'PastUpdate' });

export type PastUpdateResource = z.infer<typeof pastUpdate>;

/** The name of a consumer with a cursor of its own. */
export const consumerName = () =>
  z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 of A-Z, a-z, 0-9, _ and -');

export const updateOperations = {
  listUpdates: defineOperation({
    method: 'GET',
    paths: ['/api/updates'],
    role: 'any',
    summary: 'Lists the updates that Flotilla accepted for a bot, newest first.',
    description:
      'Those of the last 24 hours are known, and at least the last 1,000. `GET /api/updates/show` shows what became of one.\n\nThere is no `X-Total-Count`. A `Link` goes on where there may be more.',
    input: z.object({
      bot_id: botId(),
      limit: limitInput({ default: 100, max: 500 }),
      before: beforeInput(),
    }),
    output: z.array(pastUpdate),
    uncounted: true,
    botInputs: ['bot_id'],
    example: {
      input: { bot_id: EXAMPLE_BOT_ID },
      output: [
        {
          ...{ update_id: 813, at: '2026-01-02T10:15:00.212Z', via: 'polling', kind: 'message' },
          chat_id: EXAMPLE_USER_ID,
        },
      ],
    },
  }),

  showUpdate: defineOperation({
    method: 'GET',
    paths: ['/api/updates/show'],
    role: 'any',
    summary: 'Shows what became of an update: when it came, what each reader did with it, and the calls it led to.',
    description:
      'It is known for 24 hours at least, and as long as a reader or a failed delivery has it. 404 when nothing is known of it any more. A reader that was added later is left out. So is one of which nobody knows whether it had the update.',
    input: z.object({ bot_id: botId(), update_id: integer({ min: 0 }).describe('The id of the update.') }),
    output: shownUpdate,
    botInputs: ['bot_id'],
    errors: ['not_found'],
    example: {
      input: { bot_id: EXAMPLE_BOT_ID, update_id: 813 },
      output: {
        update: UPDATE,
        ...{ accepted_at: '2026-01-02T10:15:00.212Z', via: 'polling', kind: 'message', chat_id: EXAMPLE_USER_ID },
        readers: [
          {
            ...{ reader: 'push', outcome: 'delivered' },
            attempts: [
              {
                ...{ id: '813-1767348900230-1', bot_id: EXAMPLE_BOT_ID },
                ...{ at: '2026-01-02T10:15:00.230Z', reader: 'push', update_id: 813 },
                ...{
                  chat_id: EXAMPLE_USER_ID,
                  ok: true,
                  status: 200,
                  duration_ms: 41,
                  attempt: 1,
                  call: 'sendMessage',
                },
              },
            ],
          },
          { reader: 'program:4', program_id: 4, program_name: 'analytics', outcome: 'waiting', attempts: [] },
        ],
        calls: [{ at: '2026-01-02T10:15:00.271Z', how: 'answer', reader: 'push', method: 'sendMessage' }],
      },
    },
  }),

  replayUpdate: defineOperation({
    method: 'POST',
    audit: ['update_replay'],
    paths: ['/api/updates/replay'],
    sends: true,
    role: 'any',
    summary: 'Sends an update to the backend of the bot or of a program once more, and shows the attempt.',
    description:
      'The backend gets a copy with the same `update_id`, the header `Flotilla-Replay: 1`, and a `Flotilla-Delivery-Id` of its own. A call in its answer is made. The copy goes behind what waits in its chat. It is one attempt, which is not repeated, and which no figure counts.\n\nThe text of an update is kept while a reader or a failed delivery needs it, and of the newest 20 updates of a bot that keeps history for a day. 404 when it is gone. 409 when the reader never had the update or still waits for it, when earlier updates of the chat are retried, and while a person has taken the chat over. One replay or test delivery a second is possible for a bot with its programs, and two at a time.',
    input: z.object({
      bot_id: botId(),
      update_id: integer({ min: 0 }).describe('The id of the update.'),
      reader: z.literal('push').optional().describe('The backend of the bot. Name this or `program_id`.'),
      program_id: ownId().optional().describe('A program with a backend.'),
    }),
    output: attemptResource,
    botInputs: ['bot_id'],
    errors: ['not_found', 'conflict', 'too_many_requests'],
    example: {
      input: { bot_id: EXAMPLE_BOT_ID, update_id: 813, reader: 'push' },
      output: {
        ...{ id: '813-1767349900230-1', bot_id: EXAMPLE_BOT_ID },
        ...{ at: '2026-01-02T10:31:40.230Z', reader: 'push', update_id: 813 },
        ...{ chat_id: EXAMPLE_USER_ID, ok: true, status: 200, duration_ms: 41, attempt: 1, replay: true },
      },
    },
  }),

  pollUpdates: defineOperation({
    method: 'GET',
    paths: ['/api/updates/poll'],
    role: 'any',
    changes: true,
    summary: "Polls for a bot's updates. `offset` acknowledges, as in the platform's getUpdates.",
    description:
      'Polling must be on for the bot (`long_poll_enabled`), but not for a program. The call waits until there is an update or until `timeout` passes; then `result` is empty. An update is as the platform sent it.\n\nAny number of clients may poll at the same time, on any replica. A new update goes to every client that waits. `offset` acknowledges for all clients of the same consumer.\n\nA named `consumer` has a cursor of its own. It begins at the oldest update that is kept. It is forgotten after 24 hours without a poll. An account, with all its keys, can have as many as are left of 32 for the bot: 16 if nobody else has any. A program (`program_id`) is kept until it is deleted. A token of the program polls it by getUpdates. Updates that it does not ask for do not come back once it has acknowledged everything before them.\n\n`allowed_updates` filters this answer only. `limit` counts the updates that pass. Other updates do not end the wait, and an `offset` above them acknowledges them, too. A named consumer may ask for any kind. The default consumer may ask for the kinds that the bot is set to receive.',
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
      sees_held: flag()
        .default(false)
        .describe(
          'Only with `consumer`. True: it also gets the updates of chats that a person has taken over (`POST /api/chats/takeover`).',
        ),
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
