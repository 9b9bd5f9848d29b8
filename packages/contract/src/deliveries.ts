import { z } from 'zod';
import { EXAMPLE_BOT_ID, EXAMPLE_CHAT_ID } from './examples.ts';
import { botIdField, chatIdField, createdAtField, okField, ownIdField, updateIdField } from './fields.ts';
import { anyBotId, botId, flag, integer, jsonObject, moment, ownId, ownIds, pagedInputs, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** Why a delivery failed or was given up: a closed list, which metrics and clients may rely on. */
const REASON_CODES = [
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
  'unknown',
] as const;

export const reasonCode = z.enum(REASON_CODES).meta({
  id: 'ReasonCode',
  description:
    '- `refused`: the backend, or the chat that a routing rule sends to, answered with an error\n' +
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
    '- `unknown`: an old release gave the update up without a code',
});

export type ReasonCode = z.infer<typeof reasonCode>;

const READERS = ['push', 'rules', 'history', 'program'] as const;
export type DeliveryReader = (typeof READERS)[number];

/** Which program it is, beside `reader`. */
const programFields = {
  program_id: z.int().optional().describe('Only for a program: its id.'),
  program_name: z.string().optional().describe('Only for a program that is known: its name.'),
};
const anyProgramId = () => integer({ min: 1 }).optional().describe('Only updates of this program.');

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
    bot_id: botIdField.describe(
      'The id of the bot in Flotilla. 0: a record of the history that was damaged so that its bot cannot be read.',
    ),
    update_id: updateIdField,
    state: z.enum(['retrying', 'dead']).describe('retrying: it will be tried again. dead: it was given up.'),
    reader: z
      .enum(READERS)
      .describe('The reader that retries the update, or gave it up. push: the backend of the bot.'),
    ...programFields,
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
    response_excerpt: z
      .string()
      .optional()
      .describe(
        'The beginning of the last answer of the backend, without secrets: of a dead letter up to 1,024 characters, or 256 if it expired between two attempts; while it is retried up to 256. Absent if there was no answer, or an empty one.',
      ),
    payload: z.string().optional().describe('Only for a dead letter: the JSON text of the update.'),
  })
  .meta({ id: 'Delivery' });

export type DeliveryResource = z.infer<typeof deliveryResource>;

/** A request to a backend, as people see it. */
export const sentRequest = z
  .strictObject({
    method: z.literal('POST').describe('Always POST.'),
    url: z.string().describe('The URL of the backend. User information, query values and tokens in it are masked.'),
    headers: z.record(z.string(), z.string()).describe('The headers that Flotilla sets. Secrets are masked.'),
  })
  .meta({ id: 'BackendRequest' });

const responseExcerpt = z
  .string()
  .describe(
    "The beginning of the answer, at most 1,024 characters. The bot's token, its secret token, the secrets of the URL, and whatever else looks like a token or a password are cut out.",
  );
const responseContentType = z.string().describe('The Content-Type of the answer.');

/** One attempt to deliver an update. */
export const attemptResource = z
  .strictObject({
    id: z.string().describe('Identifies the attempt among those of the bot.'),
    at: z.iso.datetime().describe('When it was sent.'),
    update_id: updateIdField,
    chat_id: chatIdField.optional(),
    ...programFields,
    status: z.int().describe('The HTTP status. 0: there was no answer.'),
    duration_ms: z.int().describe('Milliseconds from sending to the complete answer.'),
    error: z.string().describe('What went wrong. Absent if the update was delivered.').optional(),
    request: sentRequest
      .optional()
      .describe(
        'What was sent, without the body, which is the update. Absent if the settings of the bot have changed since.',
      ),
    response_content_type: responseContentType.optional(),
    response_excerpt: responseExcerpt.optional(),
  })
  .meta({ id: 'DeliveryAttempt' });

/** The conditions of a list of deliveries; all given ones must hold. */
const filterFields = {
  reader: z.enum(READERS).optional().describe('Only updates of this reader.'),
  program_id: anyProgramId(),
  reason_code: z.enum(REASON_CODES).optional().describe('Only this reason. `ReasonCode` says what each one means.'),
  status: z
    .preprocess(
      (value) => (typeof value === 'number' ? String(value) : value),
      z.string().regex(/^(0|[1-5](xx|[0-9]{2}))$/, 'must be an HTTP status, a class such as 5xx, or 0 for no answer'),
    )
    .optional()
    .describe('Only this HTTP status of the last answer: `502`; a class of them: `5xx`; or `0`: there was no answer.'),
  since: moment()
    .optional()
    .describe(
      'Only what was given up, or while it is retried failed last, at this time or later: Unix seconds, or ISO 8601 with a zone.',
    ),
  until: moment().optional().describe('The same before this time, in the same forms.'),
  q: text({ min: 1, max: 256 })
    .optional()
    .describe('An update id, or a part of `last_error`. Case does not matter. Payloads are not searched.'),
};

const refusal = z
  .strictObject({
    bot_id: botIdField,
    reader: z.enum(READERS).describe('The reader that gave these updates up.'),
    program_id: z.int().optional().describe('Only for a program: its id.'),
    count: z.int().describe('The number of dead letters.'),
    reason: z.string().describe('Why they were refused.'),
  })
  .meta({ id: 'DeliveryRefusal' });

export type Refusal = z.infer<typeof refusal>;

/** What a redrive or a discard has done so far. */
const progress = {
  matched: z.int().describe('The number of dead letters that matched at the beginning.'),
  done: z.int().describe('How many of them were sent again, or discarded, so far. 0 with `dry_run`.'),
  refused: z.int().describe('How many of them cannot be sent again. They stay dead letters.'),
  refusals: z.array(refusal).describe('Which were refused, and why: at most 100 entries.'),
};

const byBot = z
  .array(z.strictObject({ bot_id: botIdField, count: z.int().describe('The number of dead letters that match.') }))
  .describe('Only with `dry_run`: which bots these dead letters are of. The 100 that have most of them.')
  .optional();

const jobFields = {
  job_id: z.int().describe('The id of the work, for `GET /api/deliveries/job`. Absent with `dry_run`.').optional(),
  state: z
    .enum(['running', 'finished'])
    .describe('running: it goes on after this answer. finished: the counts are final. Absent with `dry_run`.')
    .optional(),
};

const redriven = z
  .strictObject({
    ok: okField,
    redriven: z.int().describe('The same as `done`.'),
    ...progress,
    bots: byBot,
    ...jobFields,
  })
  .meta({ id: 'Redriven' });

const discarded = z.strictObject({ ok: okField, ...progress, bots: byBot, ...jobFields }).meta({ id: 'Discarded' });

export const deliveryJob = z
  .strictObject({
    job_id: ownIdField,
    action: z.enum(['redrive', 'discard']).describe('What is done to the dead letters.'),
    state: z.enum(['running', 'finished']).describe('running: it goes on. finished: the counts are final.'),
    ...progress,
    created_at: createdAtField,
    finished_at: z.iso.datetime().describe('When it was finished. Absent while it runs.').optional(),
  })
  .meta({ id: 'DeliveryJob' });

/** Which dead letters an operation acts on. */
const chosenLetters = {
  bot_id: anyBotId(),
  ids: ownIds(1000).describe('The ids of the dead letters.').optional(),
  filter: jsonObject({
    bot_id: anyBotId(),
    state: z.literal('dead').optional().describe('Only dead letters can be chosen.'),
    ...filterFields,
  })
    .describe(
      'Dead letters that match all of these fields, which mean the same as in `GET /api/deliveries`. An empty object chooses all that the caller sees.',
    )
    .optional(),
  dry_run: flag().default(false).describe('True: nothing is changed, the answer only counts.'),
};

const CHOICE =
  'Name `ids`, or a `filter`, or only a `bot_id` for all dead letters of that bot. Dead letters that come later are not included.';
const CONTINUED =
  'It works in batches, by bot. After 10 s it answers with `state` `running` and the counts so far, and workers continue, also after a crash. An account may have five unfinished ones.';

const FAILURE = 'Wrong response from the webhook: 502 Bad Gateway';

export const deliveryOperations = {
  listDeliveries: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries'],
    role: 'any',
    summary:
      'Lists updates that have not reached their reader: first those that are retried, then dead letters, newest first.',
    description:
      'Without `bot_id` it lists those of all bots that the caller sees. All given filters must match. Of the updates that are retried, the first 10,000 that match are listed; `X-Total-Count` counts all.',
    input: z.object({
      bot_id: anyBotId(),
      state: z.enum(['retrying', 'dead']).optional().describe('Only updates in this state.'),
      ...filterFields,
      ...pagedInputs({ default: 50, max: 200 }),
    }),
    output: z.array(deliveryResource),
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

  listDeliveryAttempts: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries/attempts'],
    role: 'any',
    summary: "Lists the last 100 attempts to deliver updates to a bot's backend and to its programs, newest first.",
    description:
      'Each backend has 100 attempts of its own: `program_id` lists those of one program. Of the newest 20 failed answers of a backend the beginning is kept, for a day. Attempts of routing rules are not kept: their dead letters name the destinations that failed.',
    input: z.object({
      bot_id: botId(),
      program_id: integer({ min: 1 }).optional().describe('Only attempts of this program.'),
    }),
    output: z.array(attemptResource),
    botInputs: ['bot_id'],
    example: {
      input: { bot_id: 7 },
      output: [
        {
          id: '813-1767348960000',
          ...{
            at: '2026-01-02T10:16:00.000Z',
            update_id: 813,
            chat_id: EXAMPLE_CHAT_ID,
            status: 502,
            duration_ms: 120,
          },
          error: FAILURE,
          request: {
            method: 'POST',
            url: 'https://bots.example.com/helpdesk',
            headers: {
              'Content-Type': 'application/json',
              'X-Telegram-Bot-Api-Secret-Token': '****',
              'Flotilla-Delivery-Id': '7-813',
            },
          },
          response_content_type: 'text/plain',
          response_excerpt: 'upstream connect error',
        },
      ],
    },
  }),

  showDeliveredUpdate: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries/update'],
    role: 'any',
    summary: 'Shows an update of a bot as its readers get it, while it is kept.',
    description:
      'An update is in memory until every reader has it. A dead letter keeps its update until it is sent again or discarded.',
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

  redriveDeliveries: defineOperation({
    method: 'POST',
    audit: ['redrive'],
    paths: ['/api/deliveries/redrive'],
    role: 'any',
    summary: 'Sends dead letters again, in the order of their updates.',
    description: `${CHOICE}

It sends those of push, of programs and of routing rules, each to the reader that gave it up, behind what waits in its
chat, and each once, also if two calls choose
it. What fails again becomes a dead letter again, with another id. Dead letters of the history, and of bots or programs that have no
backend or no rules, are refused and counted. If the call names only a \`bot_id\` or \`ids\` of it, and all are refused,
the answer is 400.

${CONTINUED} The audit log gets one entry for each bot.`,
    input: z.object(chosenLetters),
    output: redriven,
    botInputs: ['bot_id', 'filter.bot_id'],
    errors: ['too_many_requests'],
    example: {
      input: { filter: { reader: 'push', status: '5xx', since: 1767312000 } },
      output: {
        ...{ ok: true, redriven: 25, matched: 27, done: 25, refused: 2, job_id: 4, state: 'finished' },
        refusals: [{ bot_id: 9, reader: 'push', count: 2, reason: 'The bot has no backend to send to' }],
      },
    },
  }),

  discardDeliveries: defineOperation({
    method: 'POST',
    audit: ['discard'],
    paths: ['/api/deliveries/discard'],
    role: 'any',
    summary: 'Deletes dead letters for good.',
    description: `${CHOICE} Updates that are still retried are not discarded.

${CONTINUED} The audit log gets one entry for each bot, with the number of its dead letters.`,
    input: z.object(chosenLetters),
    output: discarded,
    botInputs: ['bot_id', 'filter.bot_id'],
    errors: ['too_many_requests'],
    example: {
      input: { filter: { bot_id: EXAMPLE_BOT_ID, reason_code: 'expired' }, dry_run: true },
      output: {
        ok: true,
        matched: 12,
        done: 0,
        refused: 0,
        refusals: [],
        bots: [{ bot_id: EXAMPLE_BOT_ID, count: 12 }],
      },
    },
  }),

  showDeliveryJob: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries/job'],
    role: 'any',
    summary: 'Shows how far a redrive or a discard is.',
    description: 'Whoever asked for it sees it, and admins who see all bots. It is kept for 7 days after its end.',
    input: z.object({ id: ownId() }),
    output: deliveryJob,
    errors: ['not_found'],
    example: {
      input: { id: 4 },
      output: {
        ...{ job_id: 4, action: 'redrive', state: 'running', matched: 40_000, done: 21_200, refused: 0, refusals: [] },
        created_at: '2026-01-02T10:16:00.000Z',
      },
    },
  }),
};
