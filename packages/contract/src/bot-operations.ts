import { z } from 'zod';
import { ATTENTION_KINDS } from './attention.ts';
import { type MovePlan, movePlan, moving } from './bot-moves.ts';
import { BOT_SORTS, BOT_STATES, type BotResource, bot, botToken } from './bots.ts';
import { PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { okAnswer } from './fields.ts';
import { flag, ownId, ownIds, pagedInputs, text } from './inputs.ts';
import { label } from './labels.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { PACE } from './pace.ts';
import { DEFAULT_UPSTREAM, PLATFORM_ENVIRONMENTS, upstreamName } from './upstreams.ts';

const TOKEN = '123456789:AAExampleExampleExampleExampleExamp';

export const BOT: BotResource = {
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
  adopts: false,
  template: {},
  running: true,
  upstream: DEFAULT_UPSTREAM,
  environment: 'production',
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

const PLAN: MovePlan = {
  from: DEFAULT_UPSTREAM,
  to: 'local',
  steps: [
    { step: 'drain', text: '3 updates that wait at the platform are taken in' },
    { step: 'log_out', text: 'the bot is logged out at the platform, and what it sends waits' },
    { step: 'log_in', text: 'the upstream local is asked until it knows the bot' },
    { step: 'start', text: 'polling begins there' },
  ],
  pending_update_count: 3,
  target_answers: true,
  refused_for_s: 0,
  obstacles: [],
  notes: ['The platform takes the bot back ten minutes after it left, not before'],
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
      parent_bot_id: ownId()
        .optional()
        .describe('Only bots that this bot adopted. None, if the caller does not see it.'),
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
    versioned: 'shown',
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
    versioned: 'shown',
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
      upstream: upstreamName()
        .describe('The Bot API server to ask. Absent: that of the setting TELEGRAM_API_URL.')
        .optional(),
      environment: z.enum(PLATFORM_ENVIRONMENTS).describe('The environment of the bot. Absent: production.').optional(),
    }),
    output: z.strictObject({
      id: z.int().describe('The id of the bot at the platform.'),
      username: z.string().describe('Its username, without @.'),
      first_name: z.string().describe('Its name at the platform.'),
    }),
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
    versioned: 'changed',
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

  moveBot: defineOperation({
    method: 'POST',
    audit: ['bot_move', 'bot_moved'],
    sends: true,
    paths: ['/api/bots/move'],
    role: 'admin',
    summary: 'Moves a bot to another Bot API server, without losing updates.',
    description:
      'For admins of the whole fleet. Workers do it in steps, and `moving` of the bot shows the present one. While the bot is not logged out yet, the name of its present server cancels the move; after that, another name sends it there instead. The cloud takes no bot back for ten minutes after it left.',
    input: z.object({
      id: ownId(),
      upstream: upstreamName().describe('The name of the server to move to.'),
      dry_run: flag().default(false).describe('True: nothing is done, and the answer says what would happen.'),
    }),
    botInputs: ['id'],
    aliases: { bot_id: 'id' },
    output: z.strictObject({ plan: movePlan.describe('What the move does.'), moving: moving.optional() }),
    readOnlyFields: fieldsBeside(bot.answer, { id: true, upstream: true }),
    errors: ['not_found', 'conflict'],
    example: { input: { id: 7, upstream: 'local', dry_run: true }, output: { plan: PLAN } },
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
    versioned: 'deleted',
    summary: 'Deletes the bot and all its data.',
    description:
      'The audit log keeps what people did to the bot and through it, and the changes of its settings. What the bot itself did in its chats is deleted.',
    output: okAnswer,
    readOnlyFields,
    example: { input: { id: 7 }, output: { ok: true } },
  }),
};
