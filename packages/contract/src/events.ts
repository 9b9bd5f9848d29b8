import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { botIdField, businessConnectionField, chatIdField, ownIdField, requestIdField } from './fields.ts';
import { anyBotId, instant, listOf, ownId, pagedInputs } from './inputs.ts';
import { defineOperation } from './operation.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

/** The events that somebody should know, with the kind that says that it is over, where there is one. */
export const EVENTS = {
  'backend.failing': { text: 'the backend of a bot or of a program has failed for 10 s', end: 'backend.recovered' },
  'backend.recovered': { text: 'that backend takes updates again' },
  'poller.silent': { text: 'updates wait, and no program has polled for `silent_after_s`', end: 'poller.back' },
  'poller.back': { text: 'a program polls again' },
  'program.silent': {
    text: 'updates wait for a program that has not polled for `silent_after_s`',
    end: 'program.back',
  },
  'program.back': { text: 'that program polls again' },
  'program.parked': { text: 'a program stayed behind its limit, and what waited for it became failed deliveries' },
  'dead_letters.grew': { text: 'updates of a bot failed' },
  'intake.refused': { text: 'the platform refuses a bot, or gives no answer', end: 'intake.resumed' },
  'intake.resumed': { text: 'updates of that bot come in again' },
  'flood.began': {
    text: 'for 10 s or longer, the platform takes no more of some calls of a bot, because it is rate limited',
    end: 'flood.ended',
  },
  'flood.ended': { text: 'the platform takes all calls of that bot again' },
  'platform.unreachable': {
    text: 'for 10 s or longer, the calls of a bot do not get to the platform, or something else answers them',
    end: 'platform.reached',
  },
  'platform.reached': { text: 'the platform answers the calls of that bot again' },
  'sends.held': {
    text: 'what was handed over to be sent by a bot is held, since who did it lost the right',
    end: 'sends.released',
  },
  'sends.released': { text: 'nothing of that bot is held any more: it was released or cancelled, or has expired' },
  'bot.unauthorized': { text: 'the platform does not know the token of a bot', end: 'intake.resumed' },
  'removal.waits': { text: 'retention would remove far more than is usual, and waits until an admin confirms it' },
  'installation.quarantined': {
    text: 'the stores look like a copy of another installation, so nothing is polled or sent',
    end: 'installation.resumed',
  },
  'clock.apart': {
    text: 'the clocks of some processes are over a minute apart from that of Redis: those that differ from Postgres, too, delete nothing',
    end: 'clock.right',
  },
  'clock.right': { text: 'the clocks of all processes are right again' },
  'installation.resumed': { text: 'the installation polls and sends again' },
  'broadcast.done': { text: 'a broadcast has reached every chat of its audience' },
  'chat.held': { text: 'a person, a routing rule or the owner of a business account took a chat over from the bot' },
  'chat.awaits': {
    text: 'a person waits for an answer in a private chat, for `awaits_minutes` of the sink; recorded only while a sink takes it',
  },
  'chat.bound': { text: 'a person bound a chat to a program by a link' },
  'bot.added': { text: 'a bot was registered, by hand or because another bot adopted it' },
  'bot.not_adopted': {
    text: 'a bot that people made for another one could not be adopted, or its new token not be taken over; it is among the failed deliveries',
  },
  'bot.moved': { text: 'a bot is at another Bot API server, or its move there was cancelled' },
  'sign_in.new_address': { text: 'somebody signed in from an address that the account had not used before' },
  'second_factor.added': { text: 'an account got an authenticator app or a passkey for its sign-ins' },
  'second_factor.removed': { text: 'an account lost an authenticator app or passkeys, also by an admin' },
  'key.created': { text: 'an API key was created' },
} as const satisfies Record<string, { text: string; end?: string }>;

export type EventKind = keyof typeof EVENTS;
export const EVENT_KINDS = Object.keys(EVENTS) as [EventKind, ...EventKind[]];

const eventKind = z.enum(EVENT_KINDS).meta({
  id: 'EventKind',
  description: EVENT_KINDS.map((kind) => `- `.concat('`', kind, '`: ', EVENTS[kind].text)).join('\n'),
});

export const eventResource = defineResource('Event', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  /** From the list, or that of a later release. */
  kind: { stored: column.text<EventKind>(), shown: eventKind.describe('What happened.') },
  at: { stored: filled(column.timestamptz), shown: z.iso.datetime().describe('When it was noticed.') },
  bot_id: { stored: orNull(column.bigint), shown: botIdField.optional() },
  program_id: {
    stored: orNull(column.bigint),
    shown: z.int().optional().describe('The program that it is about.'),
  },
  chat_id: { stored: orNull(column.bigint), shown: chatIdField.optional() },
  /** '' outside business connections. */
  business_connection_id: { stored: filled(column.text()), shown: businessConnectionField.optional() },
  /** Of the request that led to it; null: none did. */
  request_id: { stored: orNull(column.text()), shown: requestIdField.optional() },
  text: { stored: column.text(), shown: z.string().describe('What happened, for people.') },
});

export type EventRow = Row<typeof eventResource>;
export type EventResource = Answer<typeof eventResource>;

const EVENT: EventResource = {
  id: 311,
  kind: 'poller.silent',
  at: '2026-01-02T10:20:00.000Z',
  bot_id: EXAMPLE_BOT_ID,
  text: 'Updates wait, and no program is polling; 132 wait',
};

/** For how long events are kept (days). */
export const EVENT_DAYS = 30;

export const eventOperations = {
  listEvents: defineOperation({
    method: 'GET',
    paths: ['/api/events'],
    role: 'any',
    summary: 'Lists what happened and somebody should know, newest first.',
    description: `Events are kept for \`RETENTION_EVENTS_DAYS\` days [${EVENT_DAYS}]. Those that are about no bot are shown to admins of the whole fleet.`,
    input: z.object({
      id: ownId().optional().describe('Only this event.'),
      bot_id: anyBotId(),
      kinds: listOf(z.enum(EVENT_KINDS), EVENT_KINDS.length).optional().describe('Only events of these kinds.'),
      since: instant().optional().describe('Only events from this time on: ISO 8601 with a zone.'),
      until: instant().optional().describe('Only events before this time, in the same form.'),
      ...pagedInputs({ default: 100, max: 1000 }),
    }),
    output: z.array(eventResource.answer),
    botInputs: ['bot_id'],
    example: { input: { kinds: ['poller.silent'] }, output: [EVENT] },
  }),
};
