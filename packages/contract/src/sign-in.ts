import { z } from 'zod';
import { accountResource, EXAMPLE_ACCOUNT, knownPassword, newPassword, ROLES, username } from './accounts.ts';
import { okAnswer } from './fields.ts';
import { defineOperation } from './operation.ts';

/** The account behind a credential, and the key where that is one. */
export const ownAccountResource = accountResource
  .extend({
    api_key: z
      .strictObject({
        id: z.int().describe('The id of the key.'),
        name: z.string().describe('A name for people.'),
        role: z
          .enum(ROLES)
          .describe('What the key may do now: its own role, or that of the account if it is narrower.'),
        bot_ids: z.array(z.int()).nullable().describe('The bots that the key sees now; null: every bot.'),
        expires_at: z.iso.datetime().describe('When it ends; absent: never.').optional(),
      })
      .optional()
      .describe('The key that was sent; absent with a session.'),
  })
  .meta({ id: 'OwnAccount' });

export type OwnAccountResource = z.infer<typeof ownAccountResource>;

export const signInOperations = {
  login: defineOperation({
    method: 'POST',
    audit: ['sign_in', 'sign_in_limit'],
    paths: ['/api/auth/login'],
    role: 'public',
    summary: 'Signs in and sets the session cookie.',
    description:
      'The spelling of the username does not matter: case, width and accents may be written in any way. After five failures of an account or an address within 15 minutes it answers 429; an address from which the account has signed in before counts for itself.',
    input: z.object({ username: username(), password: knownPassword().describe('The password.') }),
    bodyLimitBytes: 16_384,
    output: z.strictObject({ user: accountResource, must_change_password: z.boolean() }),
    errors: ['unauthorized', 'too_many_requests'],
    example: {
      input: { username: 'admin', password: 'correct horse battery' },
      output: { user: EXAMPLE_ACCOUNT, must_change_password: false },
    },
  }),

  logout: defineOperation({
    method: 'POST',
    audit: ['sign_out'],
    paths: ['/api/auth/logout'],
    role: 'any',
    summary: 'Ends the session.',
    input: z.object({}),
    output: okAnswer,
    beforePasswordChange: true,
    example: { input: {}, output: { ok: true } },
  }),

  showOwnAccount: defineOperation({
    method: 'GET',
    paths: ['/api/auth/me'],
    role: 'any',
    summary: 'The account behind the credential, and what the key may do where that is one.',
    description: 'With an API key it also says which key that is, and what it may do: at most what its account may.',
    input: z.object({}),
    output: ownAccountResource,
    beforePasswordChange: true,
    example: {
      input: {},
      output: {
        ...EXAMPLE_ACCOUNT,
        api_key: { id: 12, name: 'dashboard', role: 'user', bot_ids: [7], expires_at: '2030-01-01T00:00:00.000Z' },
      },
    },
  }),

  changePassword: defineOperation({
    method: 'POST',
    audit: ['password_change', 'sign_in_limit'],
    paths: ['/api/auth/change-password'],
    role: 'any',
    summary: 'Changes the own password; the other sessions of the account end.',
    description: 'Failures count as those of signing in do.',
    input: z.object({
      old_password: knownPassword().describe('The password as it is.'),
      new_password: newPassword(),
    }),
    output: okAnswer,
    beforePasswordChange: true,
    errors: ['too_many_requests'],
    example: {
      input: { old_password: 'correct horse battery', new_password: 'staple horse battery' },
      output: { ok: true },
    },
  }),
};
