import { z } from 'zod';
import { flag, integer, listOf, nullable, ownId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { unpagedInputs } from '../paging.ts';
import { okAnswer } from '../resources/answers.ts';
import { BOT_STATES, botResource } from '../resources/bot.ts';

const botToken = () => text({ min: 1, max: 200 });
const idOfBot = { input: z.object({ id: ownId() }), botInputs: ['id'], aliases: { bot_id: 'id' } } as const;

/** BotUpdateRequest without its id and token. */
const changes = {
  name: text({ max: 128 }).optional(),
  manage_enabled: flag().optional(),
  proxy_enabled: flag().optional(),
  backend_url: text({ max: 2048 }).optional(),
  secret_token: text({ max: 256 })
    .regex(/^([A-Za-z0-9_-]*|\*{4})$/, 'may contain A-Z, a-z, 0-9, _ and - only')
    .optional(),
  long_poll_enabled: flag().optional(),
  description: text({ max: 4096 }).optional(),
  webhook_mode: flag().optional(),
  max_connections: integer({ min: 1, max: 100 }).optional(),
  allowed_updates: nullable(listOf(text({ min: 1, max: 64 }), 100))
    .describe("null or an empty list: the platform's default set.")
    .optional(),
};

const fieldsOfBot = Object.keys(botResource.shape);
const readOnlyBut = (inputs: object) => fieldsOfBot.filter((field) => !(field in inputs));

export const listBots = defineOperation({
  name: 'listBots',
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
      .describe('disabled; not_polled: enabled, and no updates come in; else how its backend does: ok, failing, open.'),
    ...unpagedInputs(),
  }),
  output: z.array(botResource),
});

export const showBot = defineOperation({
  ...idOfBot,
  name: 'showBot',
  method: 'GET',
  paths: ['/api/bots/show'],
  role: 'any',
  summary: 'One bot, with its running state as it is now.',
  output: botResource,
});

const addInputs = { token: botToken(), ...changes };

export const addBot = defineOperation({
  name: 'addBot',
  method: 'POST',
  audit: ['bot_add'],
  paths: ['/api/bots/add'],
  role: 'admin',
  wholeFleet: true,
  summary: 'Registers a bot after checking its token with the platform.',
  input: z.object(addInputs),
  output: botResource,
  readOnlyFields: readOnlyBut(addInputs),
});

export const validateToken = defineOperation({
  name: 'validateToken',
  method: 'POST',
  audit: [],
  paths: ['/api/bots/validate'],
  role: 'admin',
  wholeFleet: true,
  summary: 'Asks the platform whose token this is.',
  input: z.object({ token: botToken() }),
  output: z.strictObject({ id: z.int(), username: z.string(), first_name: z.string() }),
});

const updateInputs = { id: ownId(), token: botToken().optional(), ...changes };

export const updateBot = defineOperation({
  name: 'updateBot',
  method: 'POST',
  audit: ['bot_update'],
  paths: ['/api/bots/update'],
  role: 'admin',
  summary: 'Changes what is named; absent fields keep their value.',
  input: z.object(updateInputs),
  output: botResource,
  botInputs: ['id'],
  readOnlyFields: readOnlyBut(updateInputs),
});

export const toggleBotDisabled = defineOperation({
  ...idOfBot,
  name: 'toggleBotDisabled',
  method: 'POST',
  audit: ['bot_enable', 'bot_disable'],
  paths: ['/api/bots/toggle-disabled'],
  role: 'admin',
  summary: 'Disables an enabled bot, enables a disabled one.',
  output: botResource,
  readOnlyFields: readOnlyBut({ id: true }),
});

export const revealToken = defineOperation({
  ...idOfBot,
  name: 'revealToken',
  method: 'POST',
  audit: ['token_reveal'],
  paths: ['/api/bots/reveal-token'],
  role: 'admin',
  summary: "Shows a bot's token, also to a session, which sees it masked everywhere else.",
  output: z.strictObject({ token: z.string().describe("The bot's token, whole.") }),
  readOnlyFields: readOnlyBut({ id: true }),
});

export const deleteBot = defineOperation({
  ...idOfBot,
  name: 'deleteBot',
  method: 'POST',
  audit: ['bot_delete'],
  paths: ['/api/bots/delete'],
  role: 'admin',
  summary: 'Deletes the bot and all its data.',
  output: okAnswer,
  readOnlyFields: readOnlyBut({ id: true }),
});

export const checkBackendHealth = defineOperation({
  ...idOfBot,
  name: 'checkBackendHealth',
  method: 'GET',
  paths: ['/api/bots/health'],
  role: 'any',
  summary: "A GET to the bot's backend URL, at most 5 s long.",
  output: z
    .strictObject({
      healthy: z.boolean(),
      status_code: z.int().describe('0 when the backend was not reached.'),
      latency_ms: z.int(),
    })
    .meta({ id: 'Health' }),
});
