import { z } from 'zod';
import { ROLES, roleField } from './accounts.ts';
import { createdAtField, enabledField, okAnswer, ownIdField } from './fields.ts';
import { flag, instant, nullable, ownId, ownIds, pagedInputs, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';

export const apiKeyResource = z
  .strictObject({
    id: ownIdField,
    user_id: z.int().describe('The account that the key belongs to.'),
    name: z.string().describe('A name for people.'),
    prefix: z.string().describe('The first characters of the key, to recognise it by.'),
    role: roleField,
    bot_ids: z.array(z.int()).nullable().describe('null: what the account sees.'),
    enabled: enabledField,
    expires_at: z.iso.datetime().describe('When it ends; absent: never.').optional(),
    parent_id: z
      .int()
      .optional()
      .describe('The key that made it: it works only while that one does. Absent when a session made it.'),
    last_used_at: z.iso.datetime().describe('When it was used last, to the minute; absent: never.').optional(),
    created_at: createdAtField,
  })
  .meta({ id: 'ApiKey' });

export type ApiKeyResource = z.infer<typeof apiKeyResource>;

const newApiKey = apiKeyResource
  .extend({ key: z.string().describe('The key itself, which is never shown again.') })
  .meta({ id: 'NewApiKey' });

const API_KEY: ApiKeyResource = {
  id: 12,
  user_id: 1,
  name: 'dashboard',
  prefix: 'flt_3vQ9ex',
  role: 'user',
  bot_ids: [7],
  enabled: true,
  expires_at: '2030-01-01T00:00:00.000Z',
  parent_id: 9,
  created_at: '2026-01-01T09:00:00.000Z',
};

/** The account whose keys they are. */
const accountId = () => ownId().describe('The id of the user.').optional();

const createInputs = {
  name: text({ min: 1, max: 128 }).describe('A name for people.'),
  role: z.enum(ROLES).describe('What the holder may do.').optional(),
  bot_ids: nullable(ownIds(1000)).describe('Our own ids of the bots; null: all of them.').optional(),
  expires_at: instant().describe('When it stops working: ISO 8601 with a zone.').optional(),
  user_id: accountId(),
};

const toggleInputs = { id: ownId(), enabled: flag().describe('Whether it is in use.') };

export const apiKeyOperations = {
  listApiKeys: defineOperation({
    method: 'GET',
    paths: ['/api/auth/api-keys'],
    role: 'any',
    summary: 'The own API keys, newest first; an admin may name another account.',
    description:
      'A key sees, and manages, only keys that are no wider than itself: in role, in bots (one that follows its account is wider than any list) and in life. A session sees all.',
    input: z.object({ user_id: accountId(), ...pagedInputs() }),
    output: z.array(apiKeyResource),
    errors: ['not_found'],
    example: { input: { limit: 20 }, output: [API_KEY] },
  }),

  createApiKey: defineOperation({
    method: 'POST',
    audit: ['key_add'],
    paths: ['/api/auth/api-keys', '/api/auth/api-keys/create'],
    role: 'any',
    summary: 'Makes an API key; it is shown this once.',
    description:
      'A key has the role of its account or a narrower one, and sees its bots or some of them. Only an admin may name another account in `user_id`. A revoked key stops working everywhere within 5 s.\n\nWhat is made with a key ends with that key at the latest: without `expires_at` just then, and a later one is refused. It also stops while that key is disabled, and is deleted with it, and so is what it made itself. So make what is to last with a session.',
    input: z.object(createInputs),
    output: newApiKey,
    readOnlyFields: fieldsBeside(apiKeyResource, createInputs),
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
      'What was made with a disabled key stops too, and comes back with it. A key that is wider than the one sent is not found: enabling it again takes a session.',
    input: z.object(toggleInputs),
    output: okAnswer,
    readOnlyFields: fieldsBeside(apiKeyResource, toggleInputs),
    errors: ['not_found'],
    example: { input: { id: 12, enabled: false }, output: { ok: true } },
  }),

  deleteApiKey: defineOperation({
    method: 'POST',
    audit: ['key_delete'],
    paths: ['/api/auth/api-keys/delete'],
    role: 'any',
    summary: 'Deletes an API key.',
    description: 'Every key that was made with it is deleted, too.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(apiKeyResource, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 12 }, output: { ok: true } },
  }),
};
