import { z } from 'zod';
import { ROLES, type Role, roleField } from './accounts.ts';
import type { ChatOfBot } from './chats.ts';
import { column, filled, orNull } from './columns.ts';
import { createdAtField, enabledField, okAnswer, ownIdField } from './fields.ts';
import { flag, instant, jsonObject, listOf, nullable, ownId, ownIds, pagedInputs, platformId, text } from './inputs.ts';
import { labels } from './labels.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { EXAMPLE_OK_WITH_TOKENS, okWithTokens } from './program-tokens.ts';
import { type Answer, defineResource } from './resource.ts';

const MCP_RIGHTS = ['read', 'write'] as const;
export type McpRight = (typeof MCP_RIGHTS)[number];
const MCP_CHATS_AT_MOST = 100;
const CHAT_OF_BOT = 'The chat, as this bot knows it.';
const mcpChat = jsonObject({
  bot_id: ownId().describe('The bot.'),
  chat_id: platformId().describe(CHAT_OF_BOT),
});

export const apiKeyResource = defineResource('ApiKey', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  account_id: { stored: column.bigint },
  user_id: { shown: z.int().describe('The account that the key belongs to.') },
  name: {
    stored: column.text(),
    shown: z.string().describe('A name for people.'),
    input: text({ min: 1, max: 128 }).describe('A name for people.'),
  },
  /** SHA-256 of the key, hex; unique. */
  key_hash: { stored: column.text() },
  key_prefix: { stored: column.text() },
  prefix: { shown: z.string().describe('The first characters of the key. They help you to recognise it.') },
  role: {
    stored: column.text<Role>(),
    shown: roleField,
    input: z.enum(ROLES).describe('The role of the key. Absent: the widest role that is allowed.').optional(),
  },
  bot_ids: {
    /** A JSON array. */
    stored: orNull(column.text()),
    shown: z
      .array(z.int())
      .nullable()
      .describe('The bots that the key sees by their ids. null: all bots of its account.'),
    input: nullable(ownIds(1000))
      .describe('The bots that the key sees. null or absent: all bots that the caller sees.')
      .optional(),
  },
  bot_labels: {
    stored: filled(column.jsonb<string[]>()),
    shown: z
      .array(z.string())
      .describe(
        'The key also sees those bots of its account that have one of these labels, for as long as they have it.',
      ),
    input: labels()
      .describe(
        'The key also sees those bots of its account that have one of these labels, for as long as they have it. With labels and without `bot_ids` it sees only these.',
      )
      .optional(),
  },
  mcp: {
    stored: orNull(column.text<McpRight>()),
    shown: z
      .enum(MCP_RIGHTS)
      .optional()
      .describe('What the key may do at `POST /mcp`. Such a key is for MCP alone. Absent: it is for REST.'),
    input: z
      .enum(MCP_RIGHTS)
      .optional()
      .describe('Makes a key for MCP (`POST /mcp`) that is refused by REST. read: tools that read. write: all tools.'),
  },
  mcp_chats: {
    stored: orNull(column.jsonb<ChatOfBot[]>()),
    shown: z
      .array(z.strictObject({ bot_id: z.int().describe('The bot.'), chat_id: z.int().describe(CHAT_OF_BOT) }))
      .optional()
      .describe('The chats that its tools may see and write in; an empty list is none.'),
    input: listOf(mcpChat, MCP_CHATS_AT_MOST)
      .optional()
      .describe('Required with `mcp`: the chats that the tools may see and write in; an empty list is none.'),
  },
  enabled: { stored: filled(column.boolean), shown: enabledField },
  expires_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When the key expires. Absent: never.').optional(),
    input: instant().describe('When it stops working: ISO 8601 with a zone.').optional(),
  },
  parent_id: {
    stored: orNull(column.bigint),
    shown: z
      .int()
      .optional()
      .describe(
        'The API key that created this key, which works only while that one does. Absent: a session created it.',
      ),
  },
  last_used_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When the key was last used, to the minute. Absent: never.').optional(),
  },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type ApiKeyResource = Answer<typeof apiKeyResource>;

const newApiKey = apiKeyResource.answer
  .extend({ key: z.string().describe('The key itself. It is never shown again.') })
  .meta({ id: 'NewApiKey' });

const API_KEY: ApiKeyResource = {
  id: 12,
  user_id: 1,
  name: 'dashboard',
  prefix: 'flt_3vQ9ex',
  role: 'user',
  bot_ids: [7],
  bot_labels: [],
  enabled: true,
  expires_at: '2030-01-01T00:00:00.000Z',
  parent_id: 9,
  created_at: '2026-01-01T09:00:00.000Z',
};

/** The account whose keys they are. */
const accountId = () =>
  ownId()
    .describe('The account that the keys belong to. Only an admin may name another account. Absent: your own.')
    .optional();

const createInputs = { ...apiKeyResource.addInputs, user_id: accountId() };

const toggleInputs = { id: ownId(), enabled: flag().describe('True enables the key, false disables it.') };

export const apiKeyOperations = {
  listApiKeys: defineOperation({
    method: 'GET',
    paths: ['/api/auth/api-keys'],
    role: 'any',
    summary: 'Lists your API keys, newest first. An admin may name another account.',
    description:
      'A session sees all keys of the account. A key sees and manages only keys that are no wider than itself: in role, in bots, in labels and in lifetime. A key that sees all bots of its account is wider than one with a list of bots.',
    input: z.object({ user_id: accountId(), ...pagedInputs() }),
    output: z.array(apiKeyResource.answer),
    errors: ['not_found'],
    example: { input: { limit: 20 }, output: [API_KEY] },
  }),

  createApiKey: defineOperation({
    method: 'POST',
    audit: ['key_add'],
    paths: ['/api/auth/api-keys', '/api/auth/api-keys/create'],
    role: 'any',
    summary: 'Creates an API key and shows it, this once.',
    description:
      'A key has the role of its account or a narrower one. It sees the bots of its account or some of them. Only an admin may name another account in `user_id`. An account can have at most 100 keys, expired and disabled ones included. A revoked key stops working everywhere within 5 s.\n\nA key that another key creates depends on that key. It expires with it at the latest: without `expires_at` at the same time, and a later `expires_at` is refused. It does not work while that key is disabled, and it is deleted with it. The same holds for the keys that it creates itself. Use a session to create a lasting key.',
    input: z.object(createInputs),
    output: newApiKey,
    readOnlyFields: fieldsBeside(apiKeyResource.answer, createInputs),
    errors: ['not_found'],
    example: {
      input: { name: 'dashboard', role: 'user', bot_ids: [7], expires_at: '2030-01-01T00:00:00Z' },
      output: { ...API_KEY, key: 'flt_3vQ9example0example0example0example' },
    },
  }),

  toggleApiKey: defineOperation({
    method: 'POST',
    audit: ['key_enable', 'key_disable'],
    paths: ['/api/auth/api-keys/toggle'],
    role: 'any',
    summary: 'Enables or disables an API key.',
    description:
      'Keys that a disabled key created stop working, too. They work again when it is enabled. A call with an API key does not find a key that is wider than itself (404). Use a session to enable such a key.',
    input: z.object(toggleInputs),
    output: okAnswer,
    readOnlyFields: fieldsBeside(apiKeyResource.answer, toggleInputs),
    errors: ['not_found'],
    example: { input: { id: 12, enabled: false }, output: { ok: true } },
  }),

  deleteApiKey: defineOperation({
    method: 'POST',
    audit: ['key_delete'],
    paths: ['/api/auth/api-keys/delete'],
    role: 'any',
    summary: 'Deletes an API key.',
    description:
      'Every key that was created with it is deleted, too. The tokens of programs that these keys made go on working, and the answer lists them.',
    input: z.object({ id: ownId() }),
    output: okWithTokens,
    readOnlyFields: fieldsBeside(apiKeyResource.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 12 }, output: EXAMPLE_OK_WITH_TOKENS },
  }),
};
