import { z } from 'zod';
import { PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { createdAtField, okAnswer, ownIdField, usernameField } from './fields.ts';
import { flag, integer, listOf, nullable, ownId, pagedInputs, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';

/** The state of a bot in one word, by which a list can be filtered. */
export const BOT_STATES = ['ok', 'failing', 'open', 'disabled', 'not_polled'] as const;
export type BotState = (typeof BOT_STATES)[number];

const WEBHOOK_MODE_NOTE = 'Whether the platform pushes the updates to us; otherwise we poll for them.';
const LONG_POLL_NOTE = 'Whether updates can be polled for.';

export const botResource = z
  .strictObject({
    id: ownIdField,
    token: z
      .string()
      .describe('Whole to an API key with the admin role; masked (`123456:****`) to sessions and to the role user.'),
    name: z.string().describe('A name for people; at first the name that the platform knows.'),
    username: usernameField,
    source: z
      .enum(['cli', 'web'])
      .describe('web: added by this API; cli: by a setWebhook of its program, or by a command.'),
    manage_enabled: z.boolean().describe('Whether a history is kept, rules run and chats can be managed.'),
    proxy_enabled: z.boolean().describe('Whether updates are forwarded to the backend.'),
    backend_url: z.string().describe('Userinfo, the values of the query and tokens are masked as the token is.'),
    secret_token: z.string().describe('Masked as the token is.'),
    long_poll_enabled: z.boolean().describe(LONG_POLL_NOTE),
    description: z.string().describe('A text for people.'),
    running: z
      .boolean()
      .describe('Whether updates come in: its webhook is ours, or the platform was asked successfully within 90 s.'),
    webhook_mode: z.boolean().describe(WEBHOOK_MODE_NOTE),
    disabled: z.boolean().describe('Whether nothing is taken in, forwarded, routed or sent.'),
    max_connections: z.int().describe('How many updates are forwarded at once; 0: the default of 40.'),
    allowed_updates: z.array(z.string()).optional().describe("Absent: the platform's default set."),
    last_error: z
      .string()
      .describe("What went wrong last with taking updates in or delivering them; '' after a success."),
    last_error_at: z.iso.datetime().optional().describe('When that was; absent when nothing is wrong.'),
    last_update_at: z.iso.datetime().describe('When the last update came; absent: never.').optional(),
    pending_update_count: z
      .int()
      .describe(
        'Updates that wait for the backend while they are forwarded, or for its return within an hour; otherwise for the default poll consumer.',
      ),
    backend_state: z
      .enum(['ok', 'failing', 'open'])
      .describe('failing: the last tries failed. open: it has failed for 10 s and gets one probe now and then.'),
    created_at: createdAtField,
  })
  .meta({ id: 'Bot' });

export type BotResource = z.infer<typeof botResource>;

const healthResource = z
  .strictObject({
    healthy: z.boolean().describe('Whether its program answers.'),
    status_code: z.int().describe('0 when the backend was not reached.'),
    latency_ms: z.int().describe('Milliseconds until it answered.'),
  })
  .meta({ id: 'Health' });

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
  long_poll_enabled: true,
  description: 'Answers questions about orders',
  running: true,
  webhook_mode: false,
  disabled: false,
  max_connections: 40,
  last_error: '',
  last_update_at: '2026-01-02T10:15:00.000Z',
  pending_update_count: 0,
  backend_state: 'ok',
  created_at: '2026-01-01T09:00:00.000Z',
};

const botToken = () => text({ min: 1, max: 200 }).describe("The bot's token, as the platform's BotFather gave it.");

/** The settings of a bot, given when it is added or changed. */
const settings = {
  name: text({ max: 128 }).describe('A name for people.').optional(),
  manage_enabled: flag()
    .describe(
      'Whether a history is kept, rules run and chats can be managed; while it is off, sending, moderating, tagging and deleting are 400.',
    )
    .optional(),
  proxy_enabled: flag().describe('Whether updates are forwarded to the backend URL.').optional(),
  backend_url: text({ max: 2048 })
    .describe("Where the bot's program takes its updates, by POST: begins with http:// or https://; empty: nowhere.")
    .optional(),
  secret_token: text({ max: 256 })
    .regex(/^([A-Za-z0-9_-]*|\*{4})$/, 'may contain A-Z, a-z, 0-9, _ and - only')
    .describe('Sent along with every update as X-Telegram-Bot-Api-Secret-Token.')
    .optional(),
  long_poll_enabled: flag().describe(LONG_POLL_NOTE).optional(),
  description: text({ max: 4096 }).describe('A text for people.').optional(),
  webhook_mode: flag().describe(WEBHOOK_MODE_NOTE).optional(),
  max_connections: integer({ min: 1, max: 100 })
    .describe('How many updates are forwarded to the backend at once.')
    .optional(),
  allowed_updates: nullable(listOf(text({ min: 1, max: 64 }), 100))
    .describe("null or an empty list: the platform's default set.")
    .optional(),
};

const addInputs = { token: botToken(), ...settings };
const updateInputs = { id: ownId(), token: botToken().optional(), ...settings };

const oneBot = { input: z.object({ id: ownId() }), botInputs: ['id'], aliases: { bot_id: 'id' } } as const;
const readOnlyFields = fieldsBeside(botResource, { id: true });

export const botOperations = {
  listBots: defineOperation({
    method: 'GET',
    paths: ['/api/bots'],
    role: 'any',
    summary: 'The bots the caller can see, with their running state as it is now.',
    input: z.object({
      q: text({ max: 256 })
        .default('')
        .describe('A part of the name or the username, or how an @username begins; in any case.'),
      state: z
        .enum(BOT_STATES)
        .optional()
        .describe(
          'disabled; not_polled: enabled, and no updates come in; else how its backend does: ok, failing, open.',
        ),
      ...pagedInputs(),
    }),
    output: z.array(botResource),
    example: { input: { limit: 20 }, output: [BOT] },
  }),

  showBot: defineOperation({
    ...oneBot,
    method: 'GET',
    paths: ['/api/bots/show'],
    role: 'any',
    summary: 'One bot, with its running state as it is now.',
    output: botResource,
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
      'A webhook that stood at the platform is removed; the updates that wait there are not dropped. `manage_enabled` is on unless said otherwise, the other switches are off.',
    input: z.object(addInputs),
    output: botResource,
    readOnlyFields: fieldsBeside(botResource, addInputs),
    errors: ['conflict', ...PLATFORM_ERRORS],
    example: {
      input: { token: TOKEN, long_poll_enabled: true, description: 'Answers questions about orders' },
      output: BOT,
    },
  }),

  validateToken: defineOperation({
    method: 'POST',
    audit: [],
    paths: ['/api/bots/validate'],
    role: 'admin',
    wholeFleet: true,
    summary: 'Asks the platform whose token this is.',
    input: z.object({ token: botToken() }),
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
    summary: 'Changes what is named; absent fields keep their value.',
    description: 'A new token must be one of the same bot.',
    input: z.object(updateInputs),
    output: botResource,
    botInputs: ['id'],
    readOnlyFields: fieldsBeside(botResource, updateInputs),
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
    summary: 'Disables an enabled bot, enables a disabled one.',
    description:
      'A disabled bot is not polled, refuses what the platform pushes, forwards nothing and acts in no chat; what waits is kept. Enabling restores all of it.',
    output: botResource,
    readOnlyFields,
    errors: PLATFORM_ERRORS,
    example: { input: { id: 7 }, output: { ...BOT, disabled: true, running: false } },
  }),

  revealToken: defineOperation({
    ...oneBot,
    method: 'POST',
    audit: ['token_reveal'],
    paths: ['/api/bots/reveal-token'],
    role: 'admin',
    summary: "Shows a bot's token, also to a session, which sees it masked everywhere else.",
    description: 'So that no page has to hold the tokens of a fleet. Who was shown which token is in the audit log.',
    output: z.strictObject({ token: z.string().describe("The bot's token, whole.") }),
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
      'Of the audit log stays what people did to the bot and through it, and what changed its settings; what the bot itself did in its chats goes.',
    output: okAnswer,
    readOnlyFields,
    example: { input: { id: 7 }, output: { ok: true } },
  }),

  checkBackendHealth: defineOperation({
    ...oneBot,
    method: 'GET',
    paths: ['/api/bots/health'],
    role: 'any',
    summary: "A GET to the bot's backend URL, at most 5 s long.",
    description:
      'Healthy is any status below 400, and 405, which a webhook that takes POST only answers. A bot without a backend URL is 400.',
    output: healthResource,
    example: { input: { id: 7 }, output: { healthy: true, status_code: 200, latency_ms: 35 } },
  }),
};
