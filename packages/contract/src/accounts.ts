import { z } from 'zod';
import { ACCOUNT_RIGHTS, type AccountRight } from './account-rights.ts';
import { column, filled, orNull } from './columns.ts';
import { createdAtField, okAnswer, ownIdField, usernameField } from './fields.ts';
import { flag, listOf, nullable, ownId, ownIds, pagedInputs, text } from './inputs.ts';
import { labels } from './labels.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { EXAMPLE_OK_WITH_TOKENS, okWithTokens } from './program-tokens.ts';
import { type Answer, defineResource } from './resource.ts';

export const ROLES = ['admin', 'user'] as const;
export type Role = (typeof ROLES)[number];

const accountRight = z.enum(ACCOUNT_RIGHTS).describe('broadcast: it may send one message to many chats of its bots.');

export const roleField = z.enum(ROLES).describe('The role. The introduction says what each role may do.');

const LABELS_NOTE = 'The account also sees the bots that have one of these labels, for as long as they have it.';

const MUST_CHANGE_NOTE =
  'True: sessions of the account may only show it, change the password and sign out, until the password is changed.';

export const MIN_PASSWORD_LENGTH = 10;
/** Longer ones would only cost time for hashing. */
const MAX_PASSWORD_LENGTH = 1024;

export const username = () => text({ min: 1, max: 64 }).describe('The username, without @.');

/** A password that was set before: any text. */
export const knownPassword = () => text({ min: 1, max: MAX_PASSWORD_LENGTH });

/** A new password; the service refuses the most common ones by a list. */
export const newPassword = () =>
  text({ min: MIN_PASSWORD_LENGTH, max: MAX_PASSWORD_LENGTH }).describe(
    'The new password. The most common passwords are refused.',
  );

export const accountResource = defineResource('Account', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  username: { stored: column.text(), shown: usernameField, input: username() },
  /** The form by which usernames are compared, unique. */
  username_key: { stored: column.text() },
  password: { input: newPassword() },
  password_hash: { stored: column.text() },
  display_name: {
    stored: filled(column.text()),
    shown: z.string().describe('The name that people see.'),
    input: text({ max: 128 }).describe('The name that people see.'),
    initial: '',
  },
  role: { stored: column.text<Role>(), shown: roleField, input: roleField, initial: 'user' },
  /** True: every bot, also those registered later. False: those in account_bots. An admin sees every bot anyway. */
  all_bots: { stored: filled(column.boolean) },
  bot_ids: {
    shown: z.array(z.int()).nullable().describe('The bots that the account sees by their ids. null: every bot.'),
    input: nullable(ownIds(10_000)).describe('The bots that the account sees. null: every bot.'),
    initial: [],
  },
  bot_labels: {
    stored: filled(column.jsonb<string[]>()),
    shown: z.array(z.string()).describe(LABELS_NOTE),
    input: labels().describe(LABELS_NOTE),
    initial: [],
  },
  rights: {
    stored: filled(column.jsonb<AccountRight[]>()),
    shown: z.array(accountRight).describe('What the account may do beside its role. An admin may all of it anyway.'),
    input: listOf(accountRight, ACCOUNT_RIGHTS.length).describe('What the account may do beside its role.'),
    initial: [],
  },
  must_change_password: {
    stored: filled(column.boolean),
    shown: z.boolean().describe(MUST_CHANGE_NOTE),
    input: flag().describe(MUST_CHANGE_NOTE),
    initial: false,
  },
  second_factor: {
    shown: z
      .boolean()
      .describe('True: a sign-in with its password needs a code of an authenticator app, or a passkey.'),
  },
  oidc_issuer: { stored: orNull(column.text()) },
  oidc_subject: {
    stored: orNull(column.text()),
    shown: z.string().describe('The `sub` of the account at the identity provider. Absent: it has none.').optional(),
    input: nullable(text({ min: 1, max: 255 })).describe(
      'The `sub` of a person at the identity provider, who may then sign in to this account. null: nobody there.',
    ),
    initial: null,
  },
  /** Rises when every session of the account must end: those opened under a lower one have ended. */
  session_version: { stored: filled(column.integer) },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
  last_login_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When the account last signed in. Absent: never.').optional(),
  },
});

export type AccountResource = Answer<typeof accountResource>;

export const EXAMPLE_ACCOUNT: AccountResource = {
  id: 1,
  username: 'admin',
  display_name: 'Admin',
  role: 'admin',
  bot_ids: null,
  bot_labels: [],
  rights: [],
  must_change_password: false,
  second_factor: false,
  created_at: '2026-01-01T09:00:00.000Z',
  last_login_at: '2026-01-02T09:00:00.000Z',
};

const COLLEAGUE: AccountResource = {
  ...EXAMPLE_ACCOUNT,
  ...{ id: 4, username: 'grace', display_name: 'Grace', role: 'user', bot_ids: [7], rights: ['broadcast'] },
};

const { must_change_password: _, ...changeable } = accountResource.changeInputs;
const changeInputs = { id: ownId(), ...changeable };

const adminOfFleet = { role: 'admin', wholeFleet: true } as const;

export const accountOperations = {
  listAccounts: defineOperation({
    ...adminOfFleet,
    method: 'GET',
    paths: ['/api/auth/users'],
    summary: 'Lists all accounts, by id.',
    input: z.object(pagedInputs()),
    output: z.array(accountResource.answer),
    example: { input: { limit: 20 }, output: [EXAMPLE_ACCOUNT, COLLEAGUE] },
  }),

  showAccount: defineOperation({
    ...adminOfFleet,
    method: 'GET',
    paths: ['/api/auth/users/show'],
    versioned: 'shown',
    summary: 'Shows an account.',
    input: z.object({ id: ownId() }),
    output: accountResource.answer,
    errors: ['not_found'],
    example: { input: { id: 4 }, output: COLLEAGUE },
  }),

  addAccount: defineOperation({
    ...adminOfFleet,
    lasting: true,
    method: 'POST',
    audit: ['account_add'],
    paths: ['/api/auth/users/add'],
    versioned: 'shown',
    summary: 'Creates an account. Without `bot_ids` and `bot_labels` it sees no bot.',
    input: z.object(accountResource.addInputs),
    output: accountResource.answer,
    readOnlyFields: fieldsBeside(accountResource.answer, accountResource.addInputs),
    errors: ['conflict', 'not_found', 'too_many_requests'],
    example: {
      input: {
        username: 'grace',
        password: 'a password for the start',
        display_name: 'Grace',
        role: 'user',
        bot_ids: [7],
        rights: ['broadcast'],
        must_change_password: true,
      },
      output: { ...COLLEAGUE, must_change_password: true },
    },
  }),

  updateAccount: defineOperation({
    ...adminOfFleet,
    lasting: true,
    method: 'POST',
    audit: ['account_update'],
    paths: ['/api/auth/users/update'],
    versioned: 'changed',
    summary: 'Changes the given fields of an account. Absent fields keep their value.',
    description:
      'A changed role or password ends the sessions of the account. The role of the last admin cannot be changed.',
    input: z.object(changeInputs),
    output: accountResource.answer,
    readOnlyFields: fieldsBeside(accountResource.answer, changeInputs),
    errors: ['conflict', 'not_found', 'too_many_requests'],
    example: { input: { id: 4, bot_ids: [7, 9] }, output: { ...COLLEAGUE, bot_ids: [7, 9] } },
  }),

  deleteAccount: defineOperation({
    ...adminOfFleet,
    method: 'POST',
    audit: ['account_delete'],
    paths: ['/api/auth/users/delete'],
    versioned: 'deleted',
    summary: 'Deletes an account with its API keys and sessions.',
    description:
      'The last admin cannot be deleted. The tokens of programs that the account made, by a session or a key, go on working, and the answer lists them.',
    input: z.object({ id: ownId() }),
    output: okWithTokens,
    readOnlyFields: fieldsBeside(accountResource.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 4 }, output: EXAMPLE_OK_WITH_TOKENS },
  }),

  resetPassword: defineOperation({
    ...adminOfFleet,
    lasting: true,
    method: 'POST',
    audit: ['password_reset'],
    paths: ['/api/auth/users/reset-password'],
    summary: 'Sets the password of an account and ends its sessions.',
    description:
      'A session of the account can do almost nothing until a password that must be changed is changed. The API keys of the account keep working, unless `revoke_keys` deletes them.',
    input: z.object({
      id: ownId(),
      password: newPassword(),
      must_change_password: flag()
        .describe('True: the password must be changed at the next sign-in. Absent: true, except for your own account.')
        .optional(),
      revoke_keys: flag().describe('True: the API keys of the account are deleted, too.').default(false),
    }),
    output: okAnswer,
    errors: ['not_found', 'too_many_requests'],
    example: { input: { id: 4, password: 'a password for the start', revoke_keys: true }, output: { ok: true } },
  }),
};
