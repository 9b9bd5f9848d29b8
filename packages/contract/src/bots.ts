import { z } from 'zod';
import { attentionOfBot, silentAfterField, silentAfterInput } from './attention.ts';
import { BACKEND_STATE_NOTE, BACKEND_STATES } from './backend-states.ts';
import { moving } from './bot-moves.ts';
import { TEMPLATE_NOTE, templateField, templateInput } from './bot-template.ts';
import { column, filled, orNull } from './columns.ts';
import { createdAtField, ownIdField, usernameField } from './fields.ts';
import { flag, integer, jsonObject, listOf, nullable, text } from './inputs.ts';
import { labels } from './labels.ts';
import { PACE_NOTE, paceField, paceInput } from './pace.ts';
import { type Answer, defineResource, type Row } from './resource.ts';
import { upstreamFields } from './upstreams.ts';

/** The state of a bot in one word, by which a list can be filtered. */
export const BOT_STATES = ['ok', 'failing', 'open', 'disabled', 'not_polled'] as const;

export type BotState = (typeof BOT_STATES)[number];

/** By what a list of bots can be sorted. */
export const BOT_SORTS = ['name', 'pending', 'last_update', 'attention'] as const;

export type BotSort = (typeof BOT_SORTS)[number];

/** The behaviour of calls of a bot's program while the platform answers 429. */
export const FLOOD_MODES = ['pass', 'shield', 'wait'] as const;

export type FloodMode = (typeof FLOOD_MODES)[number];

const FLOOD_NOTE =
  'What calls through the Bot API proxy do while the platform takes no more of them: pass: they go to the platform. shield: they get its 429 from Flotilla, with the header `Flotilla-Answered-By: flood-shield`. wait: they are held while that takes at most 30 s, and are answered as with shield otherwise. What Flotilla sends itself never goes to the platform then. [pass]';

const WEBHOOK_MODE_NOTE = 'True: the platform pushes the updates to Flotilla. False: Flotilla polls the platform.';

const ADOPTS_NOTE =
  'True: a bot that people make for this one at the platform (`managed_bot`) is registered, as `template` says. It needs `can_manage_bots`, which BotFather switches on, and `manage_enabled`. Only an admin of all bots changes it, and `template`. [false]';

const LONG_POLL_NOTE = 'True if clients may poll for the updates of the bot.';

export const botToken = () =>
  text({ min: 1, max: 200 }).describe("The bot's token, as the platform's BotFather gave it.");

/** The pace as its column has it, since releases before this one read it. */
type StoredPace = { perSecond: number; perChatSecond: number; perGroupMinute: number };

type StoredCursorChange = { revision: number; handOver?: boolean; retryNow?: boolean };

export const bot = defineResource('Bot', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  /** The id at the platform: the part of the token before the colon. */
  telegram_id: { stored: column.bigint },
  token: {
    shown: z
      .string()
      .describe(
        'The token. An API key with the role admin gets it whole. Sessions and the role user get it masked (`123456:****`).',
      ),
    input: botToken(),
  },
  /** Texts that are sealed are '' where there is none. */
  token_sealed: { stored: column.text() },
  /** SHA-256 of the token, hex; unique. */
  token_hash: { stored: column.text() },
  name: {
    stored: column.text(),
    shown: z.string().describe('A name for people. At first it is the name at the platform.'),
    input: text({ max: 128 }).describe('A name for people.').optional(),
  },
  username: { stored: column.text(), shown: usernameField },
  source: {
    stored: column.text<'cli' | 'web'>(),
    shown: z
      .enum(['cli', 'web'])
      .describe('web: added by this API. cli: added by a setWebhook of its program, or by a command.'),
  },
  manage_enabled: {
    stored: filled(column.boolean),
    shown: z
      .boolean()
      .describe('True if Flotilla keeps a history, runs routing rules and can manage chats for the bot.'),
    input: flag()
      .describe(
        'True: Flotilla keeps a history, runs routing rules and can manage chats. While it is false, sending, moderating, tagging and deleting are refused with 400.',
      )
      .optional(),
  },
  proxy_enabled: {
    stored: filled(column.boolean),
    shown: z.boolean().describe('True if updates are forwarded to the backend.'),
    input: flag().describe('True: updates are forwarded to `backend_url`.').optional(),
  },
  backend_url: {
    shown: z
      .string()
      .describe('The URL of the backend. User information, query values and tokens in it are masked as the token is.'),
    input: text({ max: 2048 })
      .describe(
        "The URL at which the bot's program takes updates by POST. It begins with http:// or https://. Empty: no backend.",
      )
      .optional(),
  },
  /** Sealed, as is all that ends so. */
  backend_url_sealed: { stored: filled(column.text()) },
  secret_token: {
    shown: z.string().describe('The secret that is sent with every update. It is masked as the token is.'),
    input: text({ max: 256 })
      .regex(/^([A-Za-z0-9_-]*|\*{4})$/, 'may contain A-Z, a-z, 0-9, _ and - only')
      .describe('The secret that is sent with every update, in the header `X-Telegram-Bot-Api-Secret-Token`.')
      .optional(),
  },
  secret_token_sealed: { stored: filled(column.text()) },
  /** PEM of a backend's own certificate authority; '' if it has none. */
  backend_certificate: { stored: filled(column.text()) },
  /** The only address that the backend is called at; '': its name is looked up. */
  backend_ip_address: { stored: filled(column.text()) },
  /** JSON of what signs deliveries. */
  signing_sealed: { stored: filled(column.text()) },
  signing_enabled: { shown: z.boolean().describe('True if deliveries to the backend are signed.') },
  long_poll_enabled: {
    stored: filled(column.boolean),
    shown: z.boolean().describe(LONG_POLL_NOTE),
    input: flag().describe(LONG_POLL_NOTE).optional(),
  },
  description: {
    stored: filled(column.text()),
    shown: z.string().describe('A text for people.'),
    input: text({ max: 4096 }).describe('A text for people.').optional(),
  },
  labels: {
    stored: filled(column.jsonb<string[]>()),
    shown: z.array(z.string()).describe('Words by which people group bots.'),
    input: labels()
      .describe(
        'Words by which people group bots; they replace those of before. What is named twice is kept once. Accounts and keys may be limited to labels, so only an admin of all bots changes them.',
      )
      .optional(),
  },
  adopts: {
    stored: filled(column.boolean),
    shown: z.boolean().describe(ADOPTS_NOTE),
    input: flag().describe(ADOPTS_NOTE).optional(),
  },
  template: { shown: templateField.describe(TEMPLATE_NOTE), input: templateInput().describe(TEMPLATE_NOTE).optional() },
  /** JSON. */
  template_sealed: { stored: filled(column.text()) },
  parent_bot_id: {
    stored: orNull(column.bigint),
    shown: z
      .int()
      .describe(
        'The bot that adopted it, and manages it at the platform. Absent: none, or one that the caller does not see. It may have been deleted since.',
      )
      .optional(),
  },
  owner_user_id: {
    stored: orNull(column.bigint),
    shown: z.int().describe('The person at the platform who owns it, if a bot adopted it.').optional(),
  },
  running: {
    shown: z
      .boolean()
      .describe('True if updates come in: the platform has our webhook, or it answered a poll within the last 90 s.'),
  },
  ...upstreamFields,
  moving: { shown: moving.optional() },
  /** How often it came to another server, each of which counts update ids of its own. */
  moves: { stored: filled(column.integer) },
  webhook_mode: {
    stored: filled(column.boolean),
    shown: z.boolean().describe(WEBHOOK_MODE_NOTE),
    input: flag().describe(WEBHOOK_MODE_NOTE).optional(),
  },
  intake: {
    shown: z
      .strictObject({
        way: z
          .enum(['polling', 'webhook'])
          .describe('polling: Flotilla polls the platform. webhook: the platform pushes.'),
        foreign_webhook_host: z
          .string()
          .optional()
          .describe('The host of the webhook of another service, to which the platform sends the updates instead.'),
        since: z.iso
          .datetime()
          .describe('Since when the updates go that way; with a foreign webhook, since when that is known.'),
      })
      .describe('How the updates of the bot come in.'),
  },
  disabled: {
    stored: filled(column.boolean),
    shown: z
      .boolean()
      .describe('True if the bot is switched off. Then nothing is taken in, forwarded, routed or sent.'),
  },
  max_connections: {
    stored: filled(column.integer),
    shown: z.int().describe('How many updates are forwarded at the same time. 0: the default of 40.'),
    input: integer({ min: 1, max: 100 })
      .describe('How many updates are forwarded to the backend at the same time.')
      .optional(),
  },
  silent_after_s: { stored: filled(column.integer), shown: silentAfterField, input: silentAfterInput().optional() },
  flood: {
    stored: filled(column.text<FloodMode>()),
    shown: z.enum(FLOOD_MODES).describe(FLOOD_NOTE),
    input: z.enum(FLOOD_MODES).describe(FLOOD_NOTE).optional(),
  },
  pace: {
    stored: filled(column.jsonb<StoredPace>()),
    shown: paceField,
    input: jsonObject({
      per_second: paceInput('per_second'),
      per_chat_second: paceInput('per_chat_second'),
      per_group_minute: paceInput('per_group_minute'),
    })
      .describe(`${PACE_NOTE} Fields that are left out get their defaults.`)
      .optional(),
  },
  flood_until: {
    shown: z.iso
      .datetime()
      .nullable()
      .describe(
        'Until when the platform takes no more of some calls of the bot, because it is rate limited; null if it takes all.',
      ),
  },
  /** Stored as JSON; null: the default set of the platform. */
  allowed_updates: {
    stored: orNull(column.text()),
    shown: z
      .array(z.string())
      .optional()
      .describe("The kinds of updates that the bot receives. Absent: the platform's default set."),
    input: nullable(listOf(text({ min: 1, max: 64 }), 100))
      .describe(
        "The kinds of updates that the bot receives. null or an empty list: the platform's default set. The platform is asked for unknown names, too.",
      )
      .optional(),
  },
  last_error: {
    shown: z.string().describe('The last error in receiving or delivering updates. Empty after a success.'),
  },
  last_error_at: {
    shown: z.iso.datetime().optional().describe('When that error happened. Absent if nothing is wrong.'),
  },
  last_update_at: { shown: z.iso.datetime().describe('When the last update came. Absent: never.').optional() },
  pending_update_count: {
    shown: z
      .int()
      .describe(
        'While updates are forwarded, and for an hour after forwarding was switched off: the updates that wait for the backend. Otherwise: those that wait for the default poll consumer.',
      ),
  },
  backend_state: { shown: z.enum(BACKEND_STATES).describe(BACKEND_STATE_NOTE) },
  failing_since: {
    shown: z.iso
      .datetime()
      .optional()
      .describe('Since when every attempt at the backend has failed. Absent while `backend_state` is ok.'),
  },
  not_polled_since: {
    shown: z.iso
      .datetime()
      .optional()
      .describe(
        'Only while the bot is enabled and not `running`: when receiving updates last worked. Absent if it never did, or if that is not known.',
      ),
  },
  attention: { shown: z.array(attentionOfBot).describe('What is wrong with the bot at this moment, the worst first.') },
  /** Drawn when the bot is registered. State in Redis with another one is not this bot's. */
  registration_id: { stored: column.text() },
  /** From a sequence: rises with every change of the row. */
  revision: { stored: column.bigint },
  /** Update ids up to this one may have been given out. New ones begin above it if Redis lost its state. */
  reserved_update_id: { stored: filled(column.bigint) },
  /** The effects of the last changes on cursors, oldest first; no more than eight. */
  cursor_changes: { stored: filled(column.jsonb<StoredCursorChange[]>()) },
  /** Unknown kinds of updates that a reader of the bot ever named; no more than fifty. */
  named_kinds: { stored: filled(column.jsonb<string[]>()) },
  /** True from its first question on: presses of buttons of questions are kept from all readers. */
  asks: { stored: filled(column.boolean) },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type BotRow = Row<typeof bot>;

export type BotResource = Answer<typeof bot>;
