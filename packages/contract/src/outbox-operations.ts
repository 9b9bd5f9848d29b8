import { z } from 'zod';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { okField } from './fields.ts';
import {
  anyBotId,
  botId,
  flag,
  jsonObject,
  moment,
  ownId,
  ownIds,
  pagedInputs,
  platformObject,
  text,
} from './inputs.ts';
import { defineOperation } from './operation.ts';
import {
  COUNTED_ENTRIES,
  idempotencyKey,
  LARGEST_PARAMS,
  MOST_WAITING,
  MOST_WAITING_BYTES,
  OUTBOX_DAYS,
  OUTBOX_STATES,
  type OutboxState,
  outboxEntry,
  priorityField,
  QUEUED,
  RESTORABLE_S,
  SENT,
} from './outbox.ts';

const { bot_id, chat_id, state, ...otherFilters } = outboxEntry.filters;

/** The conditions of a list; all given ones must hold. */
const conditions = {
  ...{ bot_id, chat_id, state, ...otherFilters },
  since: moment().optional().describe('Only entries added at this time or later.'),
  until: moment().optional().describe('Only entries added before this time.'),
};

const { state: _, ...conditionsWithoutState } = conditions;

const countOf = (state: OutboxState) =>
  z.int().describe(`How many entries have the state \`${state}\`; ${COUNTED_ENTRIES} also where there are more.`);

const counts = z
  .strictObject(
    Object.fromEntries(OUTBOX_STATES.map((state) => [state, countOf(state)])) as Record<OutboxState, z.ZodInt>,
  )
  .meta({ id: 'OutboxCounts' });

const MOST_IDS = 1000;

const changed = z
  .strictObject({
    ok: okField,
    matched: z
      .int()
      .describe(`The number of entries that matched. With \`dry_run\`, ${COUNTED_ENTRIES} also where there are more.`),
    done: z.int().describe('How many of them were changed. 0 with `dry_run`.'),
    refused: z.int().describe('How many of them are in a state in which this cannot be done.'),
  })
  .meta({ id: 'OutboxChange' });

/** Entries that are named, or all that match. */
const choice = z.object({
  bot_id: anyBotId(),
  ids: ownIds(MOST_IDS).describe('The ids of the entries.').optional(),
  filter: jsonObject(conditions)
    .describe('Entries that match all of these fields, which mean the same as in `GET /api/outbox`.')
    .optional(),
  dry_run: flag().default(false).describe('True: nothing is changed, the answer only counts.'),
});

export const outboxOperations = {
  addOutboxEntry: defineOperation({
    method: 'POST',
    audit: ['outbox_add'],
    paths: ['/api/outbox/add'],
    role: 'any',
    alsoPrograms: true,
    summary: 'Hands a send over: it goes out once, in the order of its chat, within the limits of the platform.',
    description: `The answer comes as soon as the entry is stored. A worker sends it.

\`method\` is one that sends, edits, copies or forwards; \`params\` are its parameters, with \`chat_id\`. A file is named by its id or a URL.
Without \`business_connection_id\` in \`params\` it goes into the only conversation of the chat; empty, it goes into the chat of the bot itself.
So does what a token hands over that is limited to chats.
What costs Stars (\`allow_paid_broadcast\`), invoices, and methods that we do not know are for admins; a token may use such a method if it names it.

With the token of a program as Bearer the bot is that of the program, and the call stays within the limits of the token: its methods, chats and rate,
and a priority that is not above that of the program. A token that is limited to topics cannot hand anything over.

Of a bot, ${MOST_WAITING} entries may wait, and ${MOST_WAITING_BYTES / 1024 / 1024} MiB of parameters. Of one account (with all its keys) or program (with all its tokens) no more may wait than there is room left,\nso others always find some; more are refused with 429.

In one chat, entries of one priority go in the order in which they were added, one at a time; different chats do not wait for each other.

With an \`idempotency_key\` the same entry is answered again, and nothing is added. Another entry with the same key is refused with 422. Each API\nkey, account and program has keys of its own. The
header \`Idempotency-Key\` is another way to give it.`,
    input: z.object({
      bot_id: botId().optional(),
      method: text({ min: 1, max: 64 }).describe('The method of the Bot API, such as `sendMessage`.'),
      params: platformObject(() => true, 'must be an object').describe(
        `Its parameters, as JSON of up to ${LARGEST_PARAMS / 1024} KiB.`,
      ),
      priority: priorityField
        .optional()
        .describe('How urgent it is. [normal; of a program: its priority, which is also the highest]'),
      send_at: moment()
        .optional()
        .describe('When to send it at the earliest, within a year: Unix seconds, or ISO 8601 with a zone.'),
      expires_at: moment()
        .optional()
        .describe('When to give it up if it was not sent, in the same forms. It must be later than `send_at`.'),
      idempotency_key: idempotencyKey()
        .optional()
        .describe('A name of your own for this send, unique for you and the bot.'),
    }),
    output: outboxEntry.answer,
    botInputs: ['bot_id'],
    keyed: 'input',
    limits: ['program-second', 'program-minute'],
    errors: [
      'not_found',
      'ambiguous_conversation',
      'idempotency_mismatch',
      'platform_refused',
      'platform_failed',
      'too_many_requests',
    ],
    example: {
      input: {
        ...{ bot_id: EXAMPLE_BOT_ID, method: QUEUED.method, params: QUEUED.params },
        idempotency_key: 'order-1729-ready',
      },
      output: QUEUED,
    },
  }),

  listOutbox: defineOperation({
    method: 'GET',
    paths: ['/api/outbox'],
    role: 'any',
    summary: `Lists entries of the outbox, newest first. Those that ended are kept for \`RETENTION_OUTBOX_DAYS\` days [${OUTBOX_DAYS}].`,
    description: `\`X-Total-Count\` counts up to ${COUNTED_ENTRIES} entries: that number means as many or more.`,
    input: z.object({ ...conditions, ...pagedInputs({ default: 50, max: 200 }) }),
    output: z.array(outboxEntry.answer),
    botInputs: ['bot_id'],
    example: { input: { bot_id: EXAMPLE_BOT_ID, state: 'sent' }, output: [SENT] },
  }),

  countOutbox: defineOperation({
    method: 'GET',
    paths: ['/api/outbox/counts'],
    role: 'any',
    summary: `Counts entries of the outbox by their state, up to ${COUNTED_ENTRIES} of each.`,
    input: z.object(conditionsWithoutState),
    output: counts,
    botInputs: ['bot_id'],
    example: {
      input: { bot_id: EXAMPLE_BOT_ID },
      output: {
        scheduled: 3,
        queued: 12,
        held: 0,
        sending: 1,
        sent: 4_120,
        failed: 2,
        in_doubt: 0,
        cancelled: 0,
        expired: 0,
      },
    },
  }),

  showOutboxEntry: defineOperation({
    method: 'GET',
    paths: ['/api/outbox/show'],
    role: 'any',
    summary: 'Shows an entry of the outbox.',
    input: z.object({ id: ownId() }),
    output: outboxEntry.answer,
    errors: ['not_found'],
    example: { input: { id: SENT.id }, output: SENT },
  }),

  cancelOutboxEntries: defineOperation({
    method: 'POST',
    audit: ['outbox_cancel'],
    paths: ['/api/outbox/cancel'],
    role: 'any',
    summary: 'Cancels entries that are scheduled, queued or held.',
    description: `Name \`ids\`, or a \`filter\`, or only a \`bot_id\` for all of that bot. Ids that name no entry of your bots are left out, as
are entries of broadcasts unless you have the right \`broadcast\`. A filter chooses only entries that are scheduled,
queued or held; those that are being sent meanwhile are refused and counted. The audit log gets one entry for each bot.`,
    input: choice,
    output: changed,
    botInputs: ['bot_id', 'filter.bot_id'],
    example: {
      input: { filter: { bot_id: EXAMPLE_BOT_ID, state: 'scheduled' } },
      output: { ok: true, matched: 12, done: 12, refused: 0 },
    },
  }),

  releaseOutboxEntries: defineOperation({
    method: 'POST',
    audit: ['outbox_release'],
    paths: ['/api/outbox/release'],
    role: 'admin',
    summary: 'Lets entries go out that are held, by the right of the admin who releases them.',
    description:
      'Name `ids`, or a `filter`, or only a `bot_id` for all of that bot. A filter chooses only entries that are held. An entry is held again if the admin loses the right before it goes out. Those of a broadcast go on at its pace. The audit log gets one entry for each bot.',
    input: choice,
    output: changed,
    botInputs: ['bot_id', 'filter.bot_id'],
    example: {
      input: { filter: { bot_id: EXAMPLE_BOT_ID, created_by: 'shop' } },
      output: { ok: true, matched: 12, done: 12, refused: 0 },
    },
  }),

  restoreOutboxEntries: defineOperation({
    method: 'POST',
    audit: ['outbox_restore'],
    paths: ['/api/outbox/restore'],
    role: 'any',
    summary: `Undoes the cancelling of entries, within ${RESTORABLE_S} seconds.`,
    description:
      'They wait again as before: for their `send_at`, and at their places in their chats. Refused are those that were cancelled earlier, whose `expires_at` has passed, whose author has lost the right, which belong to a broadcast, or after which something of the same priority went into the chat meanwhile. What was held is queued, and held again if its author still lacks the right. The audit log gets one entry for each bot.',
    input: z.object({ ids: ownIds(MOST_IDS).describe('The ids of the entries.') }),
    output: changed,
    example: { input: { ids: [9001] }, output: { ok: true, matched: 1, done: 1, refused: 0 } },
  }),

  resendOutboxEntries: defineOperation({
    method: 'POST',
    audit: ['outbox_resend'],
    paths: ['/api/outbox/resend'],
    role: 'any',
    summary: 'Queues entries again that failed, expired or are in doubt.',
    description:
      'An entry that is in doubt may have been sent: look into the chat first. An expiry that has passed is removed. Each keeps its place in its chat. Left out are entries of broadcasts without the right `broadcast`, and what only admins may add. If the author of an entry has lost the right, it goes by that of an admin who sends it again; sent again by others it is held. The audit log gets one entry for each bot.',
    input: z.object({ ids: ownIds(MOST_IDS).describe('The ids of the entries.') }),
    output: changed,
    example: { input: { ids: [9001, 9002] }, output: { ok: true, matched: 2, done: 1, refused: 1 } },
  }),
};
