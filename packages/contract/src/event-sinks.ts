import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { EVENT_KINDS } from './events.ts';
import { EXAMPLE_BOT_ID, EXAMPLE_CHAT_ID } from './examples.ts';
import { createdAtField, enabledField, okAnswer, ownIdField } from './fields.ts';
import { flag, integer, listOf, nullable, ownId, ownIds, pagedInputs, platformId, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

const KINDS_NOTE = 'The kinds of events that it gets. null: all.';
const AWAITS_NOTE =
  'For `chat.awaits`: how many minutes after the newest message of a private chat nobody has answered.';
const AUDIT_NOTE =
  'Whether its URL gets every entry of the audit log, too, as `audit.entry`: in the order in which they were written, at least once, however many; one that was stored late may have a lower id than the one before. With `bot_ids`, those of these bots, and what is done to the sink itself. The entry by which this ends (the sink is deleted, switched off, led to another URL, or gets no log any more) goes to the URL that it had.';
const BOTS_NOTE = 'The bots whose events it gets. null: all, and what is about no bot.';

export const eventSink = defineResource('EventSink', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  name: {
    stored: column.text(),
    shown: z.string().describe('A name for people.'),
    input: text({ min: 1, max: 128 }).describe('A name for people.'),
  },
  url: {
    shown: z
      .string()
      .describe('Where events are sent by POST, with what is secret in it masked. Absent: to a chat.')
      .optional(),
    input: text({ max: 2048 })
      .describe('Where events are sent by POST: http:// or https://. Either this, or a bot and a chat.')
      .optional(),
  },
  /** '' for a chat. */
  url_sealed: { stored: filled(column.text()) },
  signing_sealed: { stored: filled(column.text()) },
  bot_id: {
    stored: orNull(column.bigint),
    shown: z.int().describe('The bot that writes into `chat_id`. Absent: to a URL.').optional(),
    input: ownId().describe('The bot that writes into `chat_id`.').optional(),
  },
  chat_id: {
    stored: orNull(column.bigint),
    shown: z.int().describe('The chat that it writes into.').optional(),
    input: platformId().describe('The chat that it writes into.').optional(),
  },
  kinds: {
    stored: orNull(column.jsonb<string[]>()),
    shown: z.array(z.string()).nullable().describe(KINDS_NOTE),
    input: nullable(listOf(z.enum(EVENT_KINDS), EVENT_KINDS.length)).describe(KINDS_NOTE),
    initial: null,
  },
  bot_ids: {
    stored: orNull(column.jsonb<number[]>()),
    shown: z.array(z.int()).nullable().describe(BOTS_NOTE),
    input: nullable(ownIds(1000)).describe(BOTS_NOTE),
    initial: null,
  },
  awaits_minutes: {
    stored: filled(column.integer),
    shown: z.int().describe(AWAITS_NOTE),
    input: integer({ min: 1, max: 1440 }).describe(AWAITS_NOTE),
    initial: 15,
  },
  enabled: {
    stored: filled(column.boolean),
    shown: enabledField,
    input: flag().describe(
      'False: nothing is sent to it, and it gets no events that happen meanwhile. What waits for it is sent if it is on again within a day; entries of the audit log that wait are sent nevertheless, up to the one that says that it is off.',
    ),
    initial: true,
  },
  audit: {
    stored: filled(column.boolean),
    shown: z.boolean().describe(AUDIT_NOTE),
    input: flag().describe(AUDIT_NOTE),
    initial: false,
  },
  /** When its entries of the audit log are sent next; in the future while a process sends them. null: at once. */
  audit_due_at: { stored: orNull(column.timestamptz) },
  /** JSON of the failed tries of the first of them; null: none has failed. */
  audit_retry: { stored: orNull(column.text()) },
  /** null: a sink. Else what a sink was, which nobody sees, until its receiver has the last entries of the audit log. */
  removed_at: { stored: orNull(column.timestamptz) },
  waiting: { shown: z.int().describe('Events that wait for it: it fails, or the pace keeps them back.') },
  delivered_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When it last took an event. Absent: never.').optional(),
  },
  failing_since: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('Since when it has taken none that was sent. Absent: it works.').optional(),
  },
  last_error: { stored: filled(column.text()), shown: z.string().describe('Why it fails. Empty: it works.') },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type EventSinkRow = Row<typeof eventSink>;
export type EventSinkResource = Answer<typeof eventSink>;

const sinkWithSecret = eventSink.answer
  .extend({
    signing_secret: z
      .string()
      .describe(
        'What signs the requests to its URL, as Standard Webhooks says. Shown once: when the sink is added with a URL, or gets one in place of a chat.',
      )
      .optional(),
  })
  .meta({ id: 'EventSinkWithSecret' });

const SINK: EventSinkResource = {
  id: 3,
  name: 'On call',
  bot_id: EXAMPLE_BOT_ID,
  chat_id: EXAMPLE_CHAT_ID,
  kinds: ['backend.failing', 'backend.recovered', 'poller.silent', 'poller.back'],
  bot_ids: null,
  awaits_minutes: 15,
  enabled: true,
  audit: false,
  waiting: 0,
  last_error: '',
  created_at: '2026-01-02T10:15:00.000Z',
};

const changeInputs = { id: ownId(), ...eventSink.changeInputs };

const oneSink = { role: 'admin', wholeFleet: true, method: 'POST' } as const;

export const eventSinkOperations = {
  listEventSinks: defineOperation({
    method: 'GET',
    paths: ['/api/event-sinks'],
    role: 'admin',
    wholeFleet: true,
    summary: 'Lists the event sinks.',
    input: z.object(pagedInputs()),
    output: z.array(eventSink.answer),
    example: { input: {}, output: [SINK] },
  }),

  showEventSink: defineOperation({
    ...oneSink,
    method: 'GET',
    paths: ['/api/event-sinks/show'],
    versioned: 'shown',
    summary: 'Shows an event sink.',
    input: z.object({ id: ownId() }),
    output: eventSink.answer,
    errors: ['not_found'],
    example: { input: { id: 3 }, output: SINK },
  }),

  addEventSink: defineOperation({
    ...oneSink,
    audit: ['sink_add'],
    paths: ['/api/event-sinks/add'],
    versioned: 'shown',
    summary: 'Adds an event sink: a URL, or a chat of one of the bots.',
    description:
      'A URL gets events as JSON, signed as Standard Webhooks says; a chat gets messages, and what is due together in one. What is not taken is sent again for 24 hours, as updates are. For each kind, bot and program, the first event is sent at once, then at most one in 5 minutes, with the number of events that it stands for. Its end is sent at once, unless the beginning still waits for its 5 minutes: then neither is sent.',
    input: z.object(eventSink.addInputs),
    output: sinkWithSecret,
    readOnlyFields: fieldsBeside(eventSink.answer, eventSink.addInputs),
    errors: ['not_found'],
    example: { input: { name: 'On call', bot_id: EXAMPLE_BOT_ID, chat_id: EXAMPLE_CHAT_ID }, output: SINK },
  }),

  updateEventSink: defineOperation({
    ...oneSink,
    audit: ['sink_update'],
    paths: ['/api/event-sinks/update'],
    versioned: 'changed',
    summary: 'Changes the given fields of an event sink. Absent fields keep their value.',
    input: z.object(changeInputs),
    output: sinkWithSecret,
    readOnlyFields: fieldsBeside(eventSink.answer, changeInputs),
    errors: ['not_found'],
    example: { input: { id: 3, enabled: false }, output: { ...SINK, enabled: false } },
  }),

  deleteEventSink: defineOperation({
    ...oneSink,
    audit: ['sink_delete'],
    paths: ['/api/event-sinks/delete'],
    versioned: 'deleted',
    summary: 'Deletes an event sink, with the events that wait for it.',
    description: 'A URL that got the audit log gets the entry of this as the last one, and nothing else that waited.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(eventSink.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 3 }, output: { ok: true } },
  }),

  testEventSink: defineOperation({
    ...oneSink,
    audit: ['sink_test'],
    paths: ['/api/event-sinks/test'],
    sends: true,
    summary: 'Sends a test event to an event sink now, and says whether it was taken.',
    description: 'It is of the kind `bot.added`, and what a URL gets has `test: true` in its data.',
    input: z.object({ id: ownId() }),
    output: z.strictObject({
      delivered: z.boolean().describe('True if it was taken.'),
      error: z.string().describe('Why not. Empty if it was taken.'),
      duration_ms: z.int().describe('How long it took.'),
    }),
    readOnlyFields: fieldsBeside(eventSink.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 3 }, output: { delivered: true, error: '', duration_ms: 38 } },
  }),
};
