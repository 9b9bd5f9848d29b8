import { z } from 'zod';
import { flag, listOf, nullable, ownId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { unpagedInputs } from '../paging.ts';
import { accountResource, ROLES } from '../resources/account.ts';
import { okAnswer } from '../resources/answers.ts';
import { newPassword, username } from './auth.ts';

const fieldsOfAccount = Object.keys(accountResource.shape);
const onlyForWholeFleet = { role: 'admin', wholeFleet: true } as const;

const displayName = () => text({ max: 128 });
const botIds = () => nullable(listOf(ownId(), 10_000)).describe('null: every bot.');

export const listAccounts = defineOperation({
  ...onlyForWholeFleet,
  name: 'listAccounts',
  method: 'GET',
  paths: ['/api/auth/users'],
  summary: 'Everybody who can sign in, by id.',
  input: z.object(unpagedInputs()),
  output: z.array(accountResource),
});

const addInputs = {
  username: username(),
  password: newPassword(),
  display_name: displayName().default(''),
  role: z.enum(ROLES).default('user'),
  bot_ids: botIds().default([]),
  must_change_password: flag().default(false),
};

export const addAccount = defineOperation({
  ...onlyForWholeFleet,
  lasting: true,
  name: 'addAccount',
  method: 'POST',
  audit: ['account_add'],
  paths: ['/api/auth/users/add'],
  summary: 'Makes an account; without bot_ids it sees no bot.',
  input: z.object(addInputs),
  output: accountResource,
  readOnlyFields: fieldsOfAccount.filter((field) => !(field in addInputs)),
});

const updateInputs = {
  id: ownId(),
  username: username().optional(),
  password: newPassword().optional(),
  display_name: displayName().optional(),
  role: z.enum(ROLES).optional(),
  bot_ids: botIds().optional(),
};

export const updateAccount = defineOperation({
  ...onlyForWholeFleet,
  lasting: true,
  name: 'updateAccount',
  method: 'POST',
  audit: ['account_update'],
  paths: ['/api/auth/users/update'],
  summary:
    'Changes what is named; a changed role or password ends the sessions of the account. The last admin stays one.',
  input: z.object(updateInputs),
  output: accountResource,
  readOnlyFields: fieldsOfAccount.filter((field) => !(field in updateInputs)),
});

export const deleteAccount = defineOperation({
  ...onlyForWholeFleet,
  name: 'deleteAccount',
  method: 'POST',
  audit: ['account_delete'],
  paths: ['/api/auth/users/delete'],
  summary: 'Deletes an account with its keys and sessions; the last admin stays.',
  input: z.object({ id: ownId() }),
  output: okAnswer,
  readOnlyFields: fieldsOfAccount.filter((field) => field !== 'id'),
});

export const resetPassword = defineOperation({
  ...onlyForWholeFleet,
  lasting: true,
  name: 'resetPassword',
  method: 'POST',
  audit: ['password_reset'],
  paths: ['/api/auth/users/reset-password'],
  summary: 'Sets a password for somebody else; the sessions of the account end, its API keys if asked for.',
  input: z.object({
    id: ownId(),
    password: newPassword(),
    must_change_password: flag()
      .describe('Whether it must be changed at the next sign-in; absent: yes, unless it is the own account.')
      .optional(),
    revoke_keys: flag().describe('Whether the API keys of the account are deleted, too.').default(false),
  }),
  output: okAnswer,
});
