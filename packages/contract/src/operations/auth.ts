import { z } from 'zod';
import { flag, instant, listOf, nullable, ownId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { unpagedInputs } from '../paging.ts';
import { accountResource, apiKeyResource, ownAccountResource, ROLES } from '../resources/account.ts';
import { okAnswer } from '../resources/answers.ts';

export const MIN_PASSWORD_LENGTH = 10;
export const username = () => text({ min: 1, max: 64 });
/** Longer ones would only cost hashing time. */
const password = (min: number) => text({ min, max: 1024 });
/** A password that is set; of the commonest ones the service has a list. */
export const newPassword = () => password(MIN_PASSWORD_LENGTH).describe('Not one of the commonest passwords.');

export const login = defineOperation({
  name: 'login',
  method: 'POST',
  audit: ['sign_in', 'sign_in_limit'],
  paths: ['/api/auth/login'],
  role: 'public',
  summary: 'Signs in and sets the session cookie.',
  input: z.object({ username: username(), password: password(1) }),
  bodyLimitBytes: 16_384,
  output: z.strictObject({ user: accountResource, must_change_password: z.boolean() }),
});

export const logout = defineOperation({
  name: 'logout',
  method: 'POST',
  audit: ['sign_out'],
  paths: ['/api/auth/logout'],
  role: 'any',
  summary: 'Ends the session.',
  input: z.object({}),
  output: okAnswer,
  beforePasswordChange: true,
});

export const showOwnAccount = defineOperation({
  name: 'showOwnAccount',
  method: 'GET',
  paths: ['/api/auth/me'],
  role: 'any',
  summary: 'The account behind the credential, and what the key may do where that is one.',
  input: z.object({}),
  output: ownAccountResource,
  beforePasswordChange: true,
});

export const changePassword = defineOperation({
  name: 'changePassword',
  method: 'POST',
  audit: ['password_change', 'sign_in_limit'],
  paths: ['/api/auth/change-password'],
  role: 'any',
  summary: 'Changes the own password; the other sessions of the account end.',
  input: z.object({ old_password: password(1), new_password: newPassword() }),
  output: okAnswer,
  beforePasswordChange: true,
});

export const listApiKeys = defineOperation({
  name: 'listApiKeys',
  method: 'GET',
  paths: ['/api/auth/api-keys'],
  role: 'any',
  summary: 'The own API keys, newest first; an admin may name another account.',
  input: z.object({ user_id: ownId().optional(), ...unpagedInputs() }),
  output: z.array(apiKeyResource),
});

const keyInputs = {
  name: text({ min: 1, max: 128 }),
  role: z.enum(ROLES).optional(),
  bot_ids: nullable(listOf(ownId(), 1000)).optional(),
  expires_at: instant().optional(),
  user_id: ownId().optional(),
};

export const createApiKey = defineOperation({
  name: 'createApiKey',
  method: 'POST',
  audit: ['key_add'],
  paths: ['/api/auth/api-keys', '/api/auth/api-keys/create'],
  role: 'any',
  summary: 'Makes an API key; it is shown this once.',
  input: z.object(keyInputs),
  output: apiKeyResource.extend({ key: z.string() }).meta({ id: 'NewApiKey' }),
  readOnlyFields: Object.keys(apiKeyResource.shape).filter((field) => !(field in keyInputs)),
});

export const toggleApiKey = defineOperation({
  name: 'toggleApiKey',
  method: 'POST',
  audit: ['key_enable', 'key_disable'],
  paths: ['/api/auth/api-keys/toggle'],
  role: 'any',
  summary: 'Enables or disables an API key.',
  input: z.object({ id: ownId(), enabled: flag() }),
  output: okAnswer,
  readOnlyFields: Object.keys(apiKeyResource.shape).filter((field) => field !== 'id' && field !== 'enabled'),
});

export const deleteApiKey = defineOperation({
  name: 'deleteApiKey',
  method: 'POST',
  audit: ['key_delete'],
  paths: ['/api/auth/api-keys/delete'],
  role: 'any',
  summary: 'Deletes an API key.',
  input: z.object({ id: ownId() }),
  output: okAnswer,
  readOnlyFields: Object.keys(apiKeyResource.shape).filter((field) => field !== 'id'),
});
