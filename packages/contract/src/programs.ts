import { z } from 'zod';
import type { Role } from './accounts.ts';
import { qualityFields } from './activity.ts';
import { silentAfterField, silentAfterInput } from './attention.ts';
import { BACKEND_STATE_NOTE, BACKEND_STATES } from './backend-states.ts';
import { column, filled, orNull } from './columns.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { botIdField, createdAtField, enabledField, ownIdField } from './fields.ts';
import { flag, integer, listOf, text } from './inputs.ts';
import { PRIORITIES, type Priority } from './outbox.ts';
import { FILTER_NOTE, filterInput, programFilter } from './program-filters.ts';
import { READER_STATES } from './readers.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

const PROGRAM_MODES = ['pull', 'push'] as const;

export const MODE_NOTE = 'pull: the program asks for its updates. push: they are sent to its `backend_url`.';

const KINDS_NOTE =
  "The kinds of updates that it gets. Empty: the platform's default set, which is every kind but chat_member, message_reaction and message_reaction_count.";

const EXCLUSIVE_NOTE =
  'True: what its kinds and its filter select, it takes alone. No other program, no backend, no getUpdates and no named consumer gets it. The history, the live stream and the routing rules still see it. A paused program goes on taking.';

const SEES_HELD_NOTE =
  'True: it also gets the updates of chats that a person has taken over (`POST /api/chats/takeover`). Then it should not answer there.';

const ORDER_NOTE =
  'Which exclusive program takes an update that several select: the one with the lowest order, and of equal ones the oldest.';

const PRIORITY_NOTE =
  'The priority of what its tokens hand over to the outbox. A call or a token may lower it, and never raise it.';

export const program = defineResource('Program', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  bot_id: { stored: column.bigint, shown: botIdField },
  name: {
    stored: column.text(),
    shown: z.string().describe('A name for people. No other program of the bot has it.'),
    input: text({ min: 1, max: 64 })
      .regex(/\S/, 'must not be blank')
      .describe('A name for people. No other program of the bot may have it.'),
  },
  mode: {
    stored: column.text<(typeof PROGRAM_MODES)[number]>(),
    shown: z.enum(PROGRAM_MODES).describe(MODE_NOTE),
    input: z.enum(PROGRAM_MODES).optional().describe(MODE_NOTE),
  },
  backend_url: {
    shown: z
      .string()
      .describe(
        'The URL to which updates are sent with mode push. User information, query values and tokens in it are masked as those of a bot are. Empty: none. A token of the program also sets one by setWebhook.',
      ),
    input: text({ max: 2048 })
      .describe(
        'The URL that takes updates by POST; mode push needs one. It begins with http:// or https://. The calls in the answers of a backend are made with all rights of the bot if an admin gave the URL. If a user gave it, they may call what users may allow a token.',
      )
      .optional(),
  },
  /** Sealed texts are '' where there is none. */
  backend_url_sealed: { stored: filled(column.text()) },
  backend_certificate: { stored: filled(column.text()) },
  /** The only address that the backend is called at; '': its name is looked up. */
  backend_ip_address: { stored: filled(column.text()) },
  /** The username of the account that gave the backend by REST, and its API key; null for none. */
  backend_by: { stored: orNull(column.text()) },
  backend_by_key: { stored: orNull(column.bigint) },
  /** The role of that account: the calls in the answers of the backend are those that this role may allow. */
  backend_role: { stored: filled(column.text<Role>()) },
  /** The token that set the backend, with whose limits it acts; null if people did. It may be gone. */
  webhook_token_id: { stored: orNull(column.bigint) },
  secret_token: {
    shown: z
      .string()
      .describe('The secret that is sent with every update. It is masked as that of a bot is. Empty: none.'),
    input: text({ max: 256 })
      .regex(/^([A-Za-z0-9_-]*|\*{4})$/, 'may contain A-Z, a-z, 0-9, _ and - only')
      .describe(
        'The secret that is sent with every update, in the header `X-Telegram-Bot-Api-Secret-Token`. Empty: none. A user who gives a program with a secret a new `backend_url` must give a secret, too: the new backend would get the one that the user may not see.',
      )
      .optional(),
  },
  secret_token_sealed: { stored: filled(column.text()) },
  signing_enabled: { shown: z.boolean().describe('True if deliveries to the backend are signed.') },
  /** JSON of what signs deliveries, and who gave it, as with the backend. */
  signing_sealed: { stored: filled(column.text()) },
  signing_by: { stored: orNull(column.text()) },
  signing_by_key: { stored: orNull(column.bigint) },
  max_connections: {
    stored: filled(column.integer),
    shown: z.int().describe('How many updates are sent at the same time with mode push.'),
    input: integer({ min: 1, max: 100 })
      .describe('How many updates are sent to the backend at the same time. [40]')
      .optional(),
  },
  silent_after_s: { stored: filled(column.integer), shown: silentAfterField, input: silentAfterInput(), initial: 300 },
  /** Stored as JSON, as the next two are. */
  kinds: {
    stored: filled(column.text()),
    shown: z.array(z.string()).describe(KINDS_NOTE),
    input: listOf(
      z.string().regex(/^[a-z0-9_]{1,64}$/, 'must be the name of a kind of updates, such as message'),
      100,
    ).describe(KINDS_NOTE),
    initial: [],
  },
  webhook_kinds: {
    stored: orNull(column.text()),
    shown: z
      .array(z.string())
      .describe(
        'Only with mode push: the kinds that the token which set the backend asks for, as `allowed_updates` of setWebhook. The backend gets those of them that `kinds` has; if `kinds` is empty, all of them. Absent: it asks for none in particular.',
      )
      .optional(),
  },
  filter: { stored: filled(column.text()), shown: programFilter.describe(FILTER_NOTE), input: filterInput() },
  exclusive: {
    stored: filled(column.boolean),
    shown: z.boolean().describe(EXCLUSIVE_NOTE),
    input: flag().describe(EXCLUSIVE_NOTE),
    initial: false,
  },
  order: {
    shown: z.int().describe(ORDER_NOTE),
    input: integer({ min: 1, max: 1000 }).describe(ORDER_NOTE),
    initial: 100,
  },
  /** The column of `order`. */
  position: { stored: filled(column.integer) },
  sees_held: {
    stored: filled(column.boolean),
    shown: z.boolean().describe(SEES_HELD_NOTE),
    input: flag().describe(SEES_HELD_NOTE),
    initial: false,
  },
  priority: {
    stored: filled(column.text<Priority>()),
    shown: z.enum(PRIORITIES).describe(PRIORITY_NOTE),
    input: z.enum(PRIORITIES).describe(PRIORITY_NOTE),
    initial: 'normal',
  },
  enabled: {
    stored: filled(column.boolean),
    shown: enabledField.describe('False while it is paused: it gets no updates, and its cursor stays.'),
    input: flag().describe('False pauses it, true lets it go on.'),
  },
  pending_update_count: {
    shown: z
      .int()
      .describe(
        'Updates of the bot that it has not acknowledged. Also counted are those that its kinds and its filter leave out, and those that another program took, until it has passed them.',
      ),
  },
  state: { shown: z.enum(READER_STATES).describe('As `GET /api/bots/readers` shows it.') },
  parked: {
    shown: z
      .boolean()
      .describe(
        'True if it stayed too far behind: what waited for it became failed deliveries. With mode pull no updates are kept for it, until it polls again, and what it takes alone becomes failed deliveries; with mode push it goes on with new ones.',
      ),
  },
  backend_state: { shown: z.enum(BACKEND_STATES).describe(`Only with mode push. ${BACKEND_STATE_NOTE}`).optional() },
  last_error: {
    shown: z.string().describe('The last error of delivery, or why it was parked. Empty after a success.'),
  },
  last_error_at: {
    shown: z.iso.datetime().describe('When that error happened. Absent if nothing is wrong.').optional(),
  },
  success_ratio: { shown: qualityFields.success_ratio },
  p95_ms: { shown: qualityFields.p95_ms },
  last_polled_at: {
    shown: z.iso
      .datetime()
      .describe('Only with mode pull: when it last asked for updates; at first, when it was added.')
      .optional(),
  },
  /** It rises with every change of the chats that are bound to it; 0: it never had a link. */
  chats_revision: { stored: filled(column.bigint) },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type ProgramRow = Row<typeof program>;

export type ProgramResource = Answer<typeof program>;

export const PROGRAM: ProgramResource = {
  id: 4,
  bot_id: EXAMPLE_BOT_ID,
  name: 'analytics',
  mode: 'pull',
  backend_url: '',
  secret_token: '',
  signing_enabled: false,
  max_connections: 40,
  silent_after_s: 300,
  kinds: ['message', 'edited_message'],
  filter: { chat_ids: [-1001234567890], commands: ['stats'] },
  exclusive: false,
  order: 100,
  sees_held: false,
  priority: 'normal',
  enabled: true,
  pending_update_count: 0,
  state: 'ok',
  parked: false,
  last_error: '',
  last_polled_at: '2026-01-02T10:15:00.000Z',
  created_at: '2026-01-02T10:10:00.000Z',
};
