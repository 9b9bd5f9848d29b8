import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { filterFields, READERS } from './deliveries.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { botIdField, createdAtField, okField, ownIdField } from './fields.ts';
import { anyBotId, flag, integer, jsonObject, ownId, ownIds } from './inputs.ts';
import { defineOperation } from './operation.ts';
import { defineResource, type Row } from './resource.ts';

/** Why failed deliveries were refused: a closed list, which clients may rely on. */
const REFUSAL_CODES = [
  'history',
  'no_backend',
  'no_rules',
  'program_deleted',
  'bot_deleted',
  'too_many_wait',
  'chat_held',
  'unknown',
] as const;

export const refusalCode = z.enum(REFUSAL_CODES).meta({
  id: 'RefusalCode',
  description:
    '- `history`: failed deliveries of the history are not redelivered\n' +
    '- `no_backend`: the bot has no backend, and no long polling\n' +
    '- `no_rules`: the bot has no routing rules to run\n' +
    '- `program_deleted`, `bot_deleted`: the program or the bot was deleted\n' +
    '- `too_many_wait`: so many updates wait for a reader that polls that more would soon stop the intake of the bot\n' +
    '- `chat_held`: a person has taken the chat over; redeliver them when it is released\n' +
    '- `unknown`: a later release refused them for a reason that this one does not know',
});

export type RefusalCode = z.infer<typeof refusalCode>;

const refusal = z
  .strictObject({
    bot_id: botIdField,
    reader: z.enum(READERS).describe('The reader that failed to take these updates.'),
    program_id: z.int().optional().describe('Only for a program: its id.'),
    count: z.int().describe('The number of failed deliveries.'),
    code: refusalCode.describe('Why they were refused, as a code.'),
    reason: z.string().describe('The same in words.'),
  })
  .meta({ id: 'DeliveryRefusal' });

export type Refusal = z.infer<typeof refusal>;

/** The progress of a redrive or a discard. */
const progress = {
  matched: z.int().describe('The number of failed deliveries that matched at the beginning.'),
  done: z.int().describe('How many of them were redelivered, or discarded, so far. 0 with `dry_run`.'),
  refused: z.int().describe('How many of them cannot be redelivered. They stay failed deliveries.'),
  refusals: z.array(refusal).describe('Which were refused, and why: at most 100 entries.'),
};

const byBot = z
  .array(z.strictObject({ bot_id: botIdField, count: z.int().describe('The number of failed deliveries that match.') }))
  .describe('Only with `dry_run`: which bots these failed deliveries are of. The 100 that have most of them.')
  .optional();

/** The input of the same name takes it, so that an act takes no more than its dry run counted. */
const countedUpTo = z
  .int()
  .describe(
    'Only with `dry_run`: the largest id of these failed deliveries, 0 if none matches. Give it to the real call.',
  )
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
    upto_id: countedUpTo,
    ...jobFields,
  })
  .meta({ id: 'Redriven' });

const discarded = z
  .strictObject({ ok: okField, ...progress, bots: byBot, upto_id: countedUpTo, ...jobFields })
  .meta({ id: 'Discarded' });

const outcome = z
  .strictObject({
    followed: z
      .int()
      .describe(
        'How many of them are followed: the first 1,000, of at most 50 readers. Those of readers that poll are not.',
      ),
    delivered: z.int().describe('How many of these were delivered since.'),
    failed_again: z.int().describe('How many became failed deliveries again. The others still wait or are retried.'),
  })
  .meta({ id: 'RedriveOutcome' });

/** Workers continue those whose process ended; finished ones stay for a week. */
export const deliveryJob = defineResource('DeliveryJob', {
  id: { stored: filled(column.bigint) },
  job_id: { shown: ownIdField },
  action: {
    stored: column.text<'redrive' | 'discard'>(),
    shown: z.enum(['redrive', 'discard']).describe('What is done to the failed deliveries.'),
  },
  state: { shown: z.enum(['running', 'finished']).describe('running: it goes on. finished: the counts are final.') },
  /** JSON array of the bots it is limited to; null: all bots. */
  bot_ids: { stored: orNull(column.text()) },
  /** JSON of `DeliveryFilter`. */
  filter: { stored: column.text() },
  /** JSON of who asked for it, for the audit log. */
  actor: { stored: column.text() },
  account_id: { stored: orNull(column.bigint) },
  /** Failed deliveries with a larger id came later and are not part of it. */
  upto_id: { stored: column.bigint },
  matched: { stored: column.bigint, shown: progress.matched },
  done: { stored: filled(column.bigint), shown: progress.done },
  refused: { stored: filled(column.bigint), shown: progress.refused },
  /** Stored as JSON. */
  refusals: { stored: filled(column.text()), shown: progress.refusals },
  /** Where it continues, in the order of the index dead_letters_in_order. */
  after_bot: { stored: filled(column.bigint) },
  after_reader: { stored: filled(column.text()) },
  after_update: { stored: filled(column.bigint) },
  after_id: { stored: filled(column.bigint) },
  /** The newest bot that has an audit entry of this job. */
  audited_bot: { stored: orNull(column.bigint) },
  /** JSON of the first letters that a redrive put into lanes; null: it is not followed. */
  sent: { stored: orNull(column.text()) },
  outcome: {
    shown: outcome.optional().describe('Only of a redrive: what became of the failed deliveries that it redelivered.'),
  },
  /** When a worker may take it over; each batch moves it ahead. */
  resume_at: { stored: column.timestamptz },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
  finished_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When it was finished. Absent while it runs.').optional(),
  },
});

export type DeliveryJob = Row<typeof deliveryJob>;

/** Which failed deliveries an operation acts on. */
const chosenLetters = {
  bot_id: anyBotId(),
  ids: ownIds(1000).describe('The ids of the failed deliveries.').optional(),
  filter: jsonObject({
    bot_id: anyBotId(),
    state: z.literal('dead').optional().describe('Only failed deliveries can be chosen.'),
    ...filterFields,
  })
    .describe(
      'Failed deliveries that match all of these fields, which mean the same as in `GET /api/deliveries`. An empty object chooses all that the caller sees.',
    )
    .optional(),
  upto_id: integer({ min: 0 })
    .describe(
      'Only failed deliveries up to this id: the `upto_id` of a dry run takes those that it counted, and no later ones.',
    )
    .optional(),
  dry_run: flag().default(false).describe('True: nothing is changed, the answer only counts.'),
};

const CHOICE =
  'Name `ids`, or a `filter`, or only a `bot_id` for all failed deliveries of that bot. Ids that name no failed delivery of your bots are left out. Failed deliveries that come later are not included. To include only those that a dry run has counted, give its `upto_id`.';
const CONTINUED =
  'It works in batches, by bot. After 10 s it answers with `state` `running` and the counts so far, and workers continue, also after a crash. An account may have five unfinished ones.';

/** A redrive or a discard of failed deliveries: an answer that comes at once, and work that may go on after it. */
export const deliveryJobOperations = {
  redriveDeliveries: defineOperation({
    method: 'POST',
    audit: ['redrive'],
    paths: ['/api/deliveries/redrive'],
    role: 'any',
    summary: 'Redelivers failed deliveries, in the order of their updates.',
    description: `${CHOICE}

It sends those of push, of programs and of routing rules, each to the reader that failed to take it, behind what waits in its
chat, and each once, also if two calls choose
it. What fails again becomes a failed delivery again, with another id. A program that polls, and the default poller of a bot that has long
polling and no backend, get theirs behind all that waits for them, with new update ids. Failed deliveries of the history, of bots without
any such reader, and of deleted programs are refused and counted, and so are those for which there is no room. If the call names only a \`bot_id\` or \`ids\` of it, and all are refused,
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
        refusals: [
          {
            ...{ bot_id: 9, reader: 'push', count: 2, code: 'no_backend' },
            reason: 'The bot has no backend to send to, and no long polling',
          },
        ],
      },
    },
  }),

  discardDeliveries: defineOperation({
    method: 'POST',
    audit: ['discard'],
    paths: ['/api/deliveries/discard'],
    role: 'any',
    summary: 'Deletes failed deliveries for good.',
    description: `${CHOICE} Updates that are still retried are not discarded.

${CONTINUED} The audit log gets one entry for each bot, with the number of its failed deliveries.`,
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
        upto_id: 5120,
      },
    },
  }),

  showDeliveryJob: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries/job'],
    role: 'any',
    summary: 'Shows how far a redrive or a discard is.',
    description:
      'The account that asked for it sees it, and so do admins who see all bots. It is kept for 7 days after its end.',
    input: z.object({ id: ownId() }),
    output: deliveryJob.answer,
    errors: ['not_found'],
    example: {
      input: { id: 4 },
      output: {
        ...{ job_id: 4, action: 'redrive', state: 'running', matched: 40_000, done: 21_200, refused: 0, refusals: [] },
        outcome: { followed: 1_000, delivered: 961, failed_again: 7 },
        created_at: '2026-01-02T10:16:00.000Z',
      },
    },
  }),
};
