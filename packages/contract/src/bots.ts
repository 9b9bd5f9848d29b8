import { z } from 'zod';
import { ATTENTION_KINDS, attentionOfBot, silentAfterField, silentAfterInput } from './attention.ts';
import { column, filled, orNull } from './columns.ts';
import { PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { createdAtField, okAnswer, ownIdField, usernameField } from './fields.ts';
import { flag, integer, jsonObject, listOf, nullable, ownId, ownIds, pagedInputs, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { type Answer, defineResource, type Row } from './resource.ts';
import { DEFAULT_UPSTREAM, upstreamName } from './upstreams.ts';

/** The state of a bot in one word, by which a list can be filtered. */
export const BOT_STATES = ['ok', 'failing', 'open', 'disabled', 'not_polled'] as const;
export type BotState = (typeof BOT_STATES)[number];

/** How the backend of a bot or of a program is. */
export const BACKEND_STATES = ['ok', 'failing', 'open'] as const;
export type BackendState = (typeof BACKEND_STATES)[number];
export const BACKEND_STATE_NOTE =
  'ok: the backend works. failing: the last attempts failed. open: it has failed for 10 s, and gets only one probe now and then.';

/** By what a list of bots can be sorted. */
const BOT_SORTS = ['name', 'pending', 'last_update', 'attention'] as const;
export type BotSort = (typeof BOT_SORTS)[number];

/** The behaviour of calls of a bot's program while the platform answers 429. */
export const FLOOD_MODES = ['pass', 'shield', 'wait'] as const;
export type FloodMode = (typeof FLOOD_MODES)[number];
const FLOOD_NOTE =
  'What calls through the Bot API proxy do while the platform takes no more of them: pass: they go to the platform. shield: they get its 429 from Flotilla, with the header `Flotilla-Answered-By: flood-shield`. wait: they are held while that takes at most 30 s, and are answered as with shield otherwise. What Flotilla sends itself never goes to the platform then. [pass]';

const PACE_NOTE =
  'How fast the outbox, and so broadcasts, send for the bot: messages a second in all, a second into one chat, and a minute into one group. What rules and programs send is counted, too.';
const PACE = { per_second: 25, per_chat_second: 1, per_group_minute: 20 };
const PACE_LIMITS = { per_second: 1000, per_chat_second: 30, per_group_minute: 100 };
const PACE_TEXTS = {
  per_second: 'Messages a second in all.',
  per_chat_second: 'Messages a second into one chat.',
  per_group_minute: 'Messages a minute into one group or channel.',
};
const paceField = z
  .strictObject({
    per_second: z.int().describe(PACE_TEXTS.per_second),
    per_chat_second: z.int().describe(PACE_TEXTS.per_chat_second),
    per_group_minute: z.int().describe(PACE_TEXTS.per_group_minute),
  })
  .describe(PACE_NOTE);
const paceInput = (name: keyof typeof PACE) =>
  integer({ min: 1, max: PACE_LIMITS[name] }).default(PACE[name]).describe(PACE_TEXTS[name]);

const WEBHOOK_MODE_NOTE = 'True: the platform pushes the updates to Flotilla. False: Flotilla polls the platform.';
const UPSTREAM_NOTE =
  'The name of the Bot API server that the bot is at (`GET /api/upstreams`). `default`: that of the setting TELEGRAM_API_URL. It changes only while the bot is disabled and has never got an update, since what waits at the server before would be lost.';
const LONG_POLL_NOTE = 'True if clients may poll for the updates of the bot.';

const LABELS_AT_MOST = 20;
/** A list in a query string is separated by commas. */
const label = () =>
  text({ min: 1, max: 64 }).regex(/^[^\s,]([^,]*[^\s,])?$/, 'must not contain a comma, or begin or end with a space');

const botToken = () => text({ min: 1, max: 200 }).describe("The bot's token, as the platform's BotFather gave it.");

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
    input: listOf(label(), LABELS_AT_MOST)
      .describe('Words by which people group bots; they replace those of before. What is named twice is kept once.')
      .optional(),
  },
  running: {
    shown: z
      .boolean()
      .describe('True if updates come in: the platform has our webhook, or it answered a poll within the last 90 s.'),
  },
  upstream: {
    stored: filled(column.text()),
    shown: z.string().describe(UPSTREAM_NOTE),
    input: upstreamName().describe(UPSTREAM_NOTE).optional(),
  },
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
        'Until when the platform takes no more of some calls of the bot, because it sent too fast; null if it takes all.',
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
  /** What the last changes did to cursors, oldest first; no more than eight. */
  cursor_changes: { stored: filled(column.jsonb<StoredCursorChange[]>()) },
  /** Unknown kinds of updates that a reader of the bot ever named; no more than fifty. */
  named_kinds: { stored: filled(column.jsonb<string[]>()) },
  /** True from its first question on: presses of buttons of questions are kept from all readers. */
  asks: { stored: filled(column.boolean) },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type BotRow = Row<typeof bot>;
export type BotResource = Answer<typeof bot>;

const TOKEN = '123456789:AAExampleExampleExampleExampleExamp';

const BOT: BotResource = {
  id: EXAMPLE_BOT_ID,
  token: TOKEN,
  name: 'Help desk',
  username: 'helpdesk_bot',
  source: 'web',
  manage_enabled: true,
  proxy_enabled: false,
  backend_url: '',
  secret_token: '',
  signing_enabled: false,
  long_poll_enabled: true,
  description: 'Answers questions about orders',
  labels: ['shop', 'eu'],
  running: true,
  upstream: DEFAULT_UPSTREAM,
  webhook_mode: false,
  intake: { way: 'polling', since: '2026-01-01T09:00:00.000Z' },
  disabled: false,
  max_connections: 40,
  silent_after_s: 300,
  flood: 'pass',
  pace: PACE,
  flood_until: null,
  last_error: '',
  last_update_at: '2026-01-02T10:15:00.000Z',
  pending_update_count: 0,
  backend_state: 'ok',
  attention: [],
  created_at: '2026-01-01T09:00:00.000Z',
};

const addInputs = {
  ...bot.addInputs,
  proxy_enabled: bot.addInputs.proxy_enabled.describe(
    'True: updates are forwarded to `backend_url`. Absent: they are if a `backend_url` is given.',
  ),
};
const updateInputs = { id: ownId(), ...bot.changeInputs };

const oneBot = { input: z.object({ id: ownId() }), botInputs: ['id'], aliases: { bot_id: 'id' } } as const;
const readOnlyFields = fieldsBeside(bot.answer, { id: true });

export const botOperations = {
  listBots: defineOperation({
    method: 'GET',
    paths: ['/api/bots'],
    role: 'any',
    summary: 'Lists the bots that the caller sees, with their current state.',
    input: z.object({
      q: text({ max: 256 })
        .default('')
        .describe('A part of the name or of the username, or the beginning of an @username. Case does not matter.'),
      ids: ownIds(100)
        .optional()
        .describe('Only these bots, 100 at most. Those that the caller does not see are left out.'),
      state: z
        .enum(BOT_STATES)
        .optional()
        .describe(
          'Only bots in this state. disabled: the bot is switched off. not_polled: it is enabled, but no updates come in. ok, failing, open: the state of its backend, if neither holds.',
        ),
      label: label().optional().describe('Only bots with this label, in the same case.'),
      attention: z.enum(ATTENTION_KINDS).optional().describe('Only bots with this in their `attention`.'),
      sort: z
        .enum(BOT_SORTS)
        .optional()
        .describe(
          'name: without regard to case. pending: the largest `pending_update_count` first. last_update: the latest first. attention: those with the worst trouble first, and disabled ones last. Absent: by id. Bots that are alike are sorted by id. A bot whose figure changes while somebody pages can be missed or come twice.',
        ),
      ...pagedInputs(),
    }),
    output: z.array(bot.answer),
    description:
      'The rows show the present. If more than 200 bots are filtered by state or by `attention`, or sorted by figures, the values for that may be up to five seconds old: `X-Taken-At` says when they were taken. The states of bots that were added since, or that announced a change since, are of the present, too.',
    example: { input: { limit: 20 }, output: [BOT] },
  }),

  showBot: defineOperation({
    ...oneBot,
    method: 'GET',
    paths: ['/api/bots/show'],
    role: 'any',
    summary: 'Shows one bot, with its current state.',
    output: bot.answer,
    example: { input: { id: 7 }, output: BOT },
  }),

  addBot: defineOperation({
    method: 'POST',
    audit: ['bot_add'],
    paths: ['/api/bots/add'],
    role: 'admin',
    wholeFleet: true,
    summary: 'Registers a bot after checking its token with the platform.',
    description:
      'Flotilla removes the webhook that the bot has at the platform. Updates that wait there are not dropped. By default `manage_enabled` is on, `proxy_enabled` is on if a `backend_url` is given, and the other switches are off.',
    input: z.object(addInputs),
    output: bot.answer,
    readOnlyFields: fieldsBeside(bot.answer, addInputs),
    errors: ['conflict', ...PLATFORM_ERRORS],
    example: {
      input: {
        token: TOKEN,
        long_poll_enabled: true,
        description: 'Answers questions about orders',
        labels: ['shop', 'eu'],
      },
      output: BOT,
    },
  }),

  validateToken: defineOperation({
    method: 'POST',
    audit: [],
    paths: ['/api/bots/validate'],
    role: 'admin',
    wholeFleet: true,
    summary: 'Asks the platform which bot a token belongs to.',
    input: z.object({
      token: botToken(),
      upstream: upstreamName().default(DEFAULT_UPSTREAM).describe('The Bot API server to ask.'),
    }),
    output: z.strictObject({ id: z.int(), username: z.string(), first_name: z.string() }),
    errors: PLATFORM_ERRORS,
    example: {
      input: { token: TOKEN },
      output: { id: 123456789, username: 'helpdesk_bot', first_name: 'Help desk' },
    },
  }),

  updateBot: defineOperation({
    method: 'POST',
    audit: ['bot_update'],
    paths: ['/api/bots/update'],
    role: 'admin',
    summary: 'Changes the given fields of a bot. Absent fields keep their value.',
    description: 'A new token must belong to the same bot.',
    input: z.object(updateInputs),
    output: bot.answer,
    botInputs: ['id'],
    readOnlyFields: fieldsBeside(bot.answer, updateInputs),
    errors: ['conflict', ...PLATFORM_ERRORS],
    example: {
      input: { id: 7, proxy_enabled: true, backend_url: 'https://bots.example.com/helpdesk' },
      output: { ...BOT, proxy_enabled: true, backend_url: 'https://bots.example.com/helpdesk' },
    },
  }),

  toggleBotDisabled: defineOperation({
    ...oneBot,
    method: 'POST',
    audit: ['bot_enable', 'bot_disable'],
    paths: ['/api/bots/toggle-disabled'],
    role: 'admin',
    summary: 'Disables a bot that is enabled, or enables one that is disabled.',
    description:
      'A disabled bot is not polled, refuses updates that the platform pushes, forwards nothing and acts in no chat. Updates that wait are kept. Enabling the bot restores all of this.',
    output: bot.answer,
    readOnlyFields,
    errors: PLATFORM_ERRORS,
    example: { input: { id: 7 }, output: { ...BOT, disabled: true, running: false } },
  }),

  takeBackBot: defineOperation({
    ...oneBot,
    method: 'POST',
    audit: ['take_back'],
    paths: ['/api/bots/take-back'],
    role: 'any',
    summary: 'Restores the intake of a bot whose updates go to a webhook of another service.',
    description:
      'Flotilla removes that webhook, or sets its own one again, as `webhook_mode` says. Updates that wait at the platform are kept. The other service gets no more updates; if it sets its webhook again, it knows the token: revoke the token at BotFather.',
    output: okAnswer.extend({
      removed_url_host: z
        .string()
        .optional()
        .describe('The host of the webhook that was removed. Absent: there was none.'),
    }),
    readOnlyFields,
    errors: PLATFORM_ERRORS,
    example: { input: { id: 7 }, output: { ok: true, removed_url_host: 'n8n.example.com' } },
  }),

  revealToken: defineOperation({
    ...oneBot,
    method: 'POST',
    audit: ['token_reveal'],
    paths: ['/api/bots/reveal-token'],
    role: 'admin',
    summary: 'Shows the whole token of a bot, also to a session.',
    description:
      'All other calls mask the token for sessions, so that no page has to hold the tokens of a fleet. The audit log says who was shown which token.',
    output: z.strictObject({ token: z.string().describe('The whole token of the bot.') }),
    readOnlyFields,
    example: { input: { id: 7 }, output: { token: TOKEN } },
  }),

  deleteBot: defineOperation({
    ...oneBot,
    method: 'POST',
    audit: ['bot_delete'],
    paths: ['/api/bots/delete'],
    role: 'admin',
    summary: 'Deletes the bot and all its data.',
    description:
      'The audit log keeps what people did to the bot and through it, and the changes of its settings. What the bot itself did in its chats is deleted.',
    output: okAnswer,
    readOnlyFields,
    example: { input: { id: 7 }, output: { ok: true } },
  }),
};
