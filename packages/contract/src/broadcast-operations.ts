import { z } from 'zod';
import { choices, reasonFields } from './broadcast-audience.ts';
import {
  BROADCAST_DAYS,
  broadcastResource,
  FAILURE_COLUMNS,
  RUNNING,
  type ShownBroadcast,
  shownBroadcast,
} from './broadcasts.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { ownIdField } from './fields.ts';
import { botId, flag, nullable, ownId, pagedInputs, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { OUTBOX_DAYS } from './outbox.ts';

/** The answer of a dry run: the broadcast as it would be, without an id. */
const addedBroadcast = z
  .strictObject({
    ...broadcastResource.answer.shape,
    id: ownIdField.optional().describe('The id in Flotilla. Absent with `dry_run`.'),
  })
  .meta({ id: 'AddedBroadcast' });

const FAILURES: ShownBroadcast['failures'] = [
  { state: 'failed', error_code: 403, error: 'Forbidden: bot was blocked by the user', count: 38 },
  { state: 'failed', error_code: 400, error: 'Bad Request: chat not found', count: 2 },
];

const FAILURE_FORMATS = ['csv', 'ndjson'] as const;

const { bot_id: _, per_second, send_at, ...others } = broadcastResource.changeInputs;

const updateInputs = {
  ...others,
  per_second: nullable(per_second).describe('The most messages a second. null: the pace of the bot.'),
  send_at: nullable(send_at).describe('When it begins at the earliest, within a year. null: at once.'),
};

const change = {
  method: 'POST',
  role: 'any',
  right: 'broadcast',
  input: z.object({ id: ownId() }),
  output: broadcastResource.answer,
  errors: ['not_found', 'conflict'],
} as const;

export const broadcastOperations = {
  addBroadcast: defineOperation({
    method: 'POST',
    audit: ['broadcast_add'],
    paths: ['/api/broadcasts/add'],
    role: 'any',
    right: 'broadcast',
    summary: 'Sends one message to many chats of a bot.',
    description: `The audience is named by \`chat_ids\`, \`list_id\`, \`failures_of\` or \`chat_types\`; all its other fields narrow it. It has chats that the bot knows:
private chats whose person wrote, and groups and channels that the bot is in. It is looked up when the broadcast begins. A worker makes an
entry of the outbox for each chat (\`GET /api/outbox?broadcast_id=\`), with the priority \`bulk\`. They go out in the order of their
chats' ids, within the pace of the bot. What costs Stars (\`allow_paid_broadcast\`) and invoices are for admins.

With \`dry_run\` nothing is stored and nothing is sent: \`counts\` says how many chats the audience has now, and how many more would be in it had
they not blocked the bot. An account runs at most four searches at once, and such a count is one.`,
    input: z.object({
      ...broadcastResource.addInputs,
      dry_run: flag().default(false).describe('True: nothing is stored, the answer only counts.'),
    }),
    output: addedBroadcast,
    botInputs: ['bot_id'],
    keyed: 'stored',
    limits: ['searches'],
    errors: ['not_found', 'too_many_requests'],
    example: {
      input: {
        ...{ bot_id: EXAMPLE_BOT_ID, name: RUNNING.name, audience: { chat_types: ['private'], tags: ['customer'] } },
        ...{ method: RUNNING.method, params: RUNNING.params, per_second: RUNNING.per_second },
      },
      output: { ...RUNNING, counts: { ...RUNNING.counts, total: 0, queued: 0, sent: 0, failed: 0, blocked: 0 } },
    },
  }),

  listBroadcasts: defineOperation({
    method: 'GET',
    paths: ['/api/broadcasts'],
    role: 'any',
    summary: 'Lists broadcasts, newest first.',
    description: `Those that ended are kept for ${BROADCAST_DAYS} days.`,
    input: z.object({
      ...broadcastResource.filters,
      ...pagedInputs({ default: 50, max: 200 }),
    }),
    output: z.array(broadcastResource.answer),
    botInputs: ['bot_id'],
    example: { input: { bot_id: EXAMPLE_BOT_ID, state: 'running' }, output: [RUNNING] },
  }),

  showBroadcast: defineOperation({
    method: 'GET',
    paths: ['/api/broadcasts/show'],
    role: 'any',
    versioned: 'shown',
    summary: 'Shows a broadcast, and why chats did not get it.',
    input: z.object({ id: ownId() }),
    output: shownBroadcast,
    errors: ['not_found'],
    example: { input: { id: RUNNING.id }, output: { ...RUNNING, failures: FAILURES } },
  }),

  updateBroadcast: defineOperation({
    ...change,
    audit: ['broadcast_update'],
    paths: ['/api/broadcasts/update'],
    versioned: 'changed',
    summary: 'Changes a broadcast that has not begun.',
    description:
      'Fields that are not given stay. `send_at: null` begins it at once, `per_second: null` takes the limit away. One that was paused before its time stays paused.',
    input: z.object({ id: ownId(), ...updateInputs }),
    readOnlyFields: fieldsBeside(broadcastResource.answer, { id: true, ...updateInputs }),
    example: { input: { id: RUNNING.id, per_second: 10 }, output: { ...RUNNING, state: 'scheduled' } },
  }),

  listAudienceChoices: defineOperation({
    method: 'GET',
    paths: ['/api/broadcasts/choices'],
    role: 'any',
    right: 'broadcast',
    summary: 'Lists the tags and languages of the people whom a bot can write to, with how many people have each.',
    description: 'An account runs at most four searches at once, and this counts as one.',
    input: z.object({
      bot_id: botId(),
      q: text({ max: 64 }).default('').describe('Only tags that contain this, in any case.'),
    }),
    output: choices,
    botInputs: ['bot_id'],
    limits: ['searches'],
    errors: ['too_many_requests'],
    example: {
      input: { bot_id: EXAMPLE_BOT_ID, q: 'cust' },
      output: { tags: [{ tag: 'customer', people: 12_400 }], languages: [{ language_code: 'de', people: 9_100 }] },
    },
  }),

  exportBroadcastFailures: defineOperation({
    method: 'GET',
    audit: ['export'],
    paths: ['/api/broadcasts/failures'],
    role: 'any',
    right: 'broadcast',
    summary: 'Exports the chats that did not get a broadcast, with the reason.',
    description: `The answer is streamed. Entries are kept for ${OUTBOX_DAYS} days. To write to these chats again, name them as \`failures_of\` of an audience.`,
    input: z.object({
      id: ownId(),
      format: z
        .enum(FAILURE_FORMATS)
        .default('csv')
        .describe('csv: with a header line. ndjson: one JSON object per line.'),
      ...reasonFields,
    }),
    output: z.string(),
    mediaTypes: ['text/csv', 'application/x-ndjson'],
    errors: ['not_found'],
    example: {
      input: { id: RUNNING.id },
      output: `${FAILURE_COLUMNS.join(',')}\r\n5,ada,Ada,failed,403,Forbidden: bot was blocked by the user,2026-01-02T10:31:00.000Z\r\n`,
    },
  }),

  pauseBroadcast: defineOperation({
    ...change,
    audit: ['broadcast_pause'],
    paths: ['/api/broadcasts/pause'],
    summary: 'Pauses a broadcast: no further message of it is begun.',
    description: 'Messages that are being sent end by themselves. One that has ended cannot be paused.',
    example: { input: { id: RUNNING.id }, output: { ...RUNNING, state: 'paused' } },
  }),

  resumeBroadcast: defineOperation({
    ...change,
    audit: ['broadcast_resume'],
    paths: ['/api/broadcasts/resume'],
    summary: 'Lets a paused broadcast go on.',
    example: { input: { id: RUNNING.id }, output: RUNNING },
  }),

  cancelBroadcast: defineOperation({
    ...change,
    audit: ['broadcast_cancel'],
    paths: ['/api/broadcasts/cancel'],
    summary: 'Ends a broadcast: chats that still wait get nothing.',
    description: 'Messages that are being sent end by themselves. It cannot be resumed.',
    example: { input: { id: RUNNING.id }, output: { ...RUNNING, state: 'cancelled' } },
  }),
};
