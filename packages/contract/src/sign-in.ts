import { z } from 'zod';
import { accountResource, EXAMPLE_ACCOUNT, knownPassword, newPassword, ROLES, username } from './accounts.ts';
import { okAnswer } from './fields.ts';
import { defineOperation } from './operation.ts';
import { factorCode, passkeyAnswer } from './second-factor.ts';

const factorMissing = z
  .literal(true)
  .optional()
  .describe(
    'This session may only set up a second factor, change the password and sign out, until there is one. Absent: it may do all.',
  );

/** The answer to a sign-in. */
const signedIn = z.strictObject({
  user: accountResource.answer.describe('Who signed in.'),
  must_change_password: z.boolean().describe('Until the password is changed, nearly every call is refused with 403.'),
  second_factor_missing: factorMissing,
});

/** The account of the caller, and the API key if the call was made with one. */
const ownAccountResource = accountResource.answer
  .extend({
    api_key: z
      .strictObject({
        id: z.int().describe('The id of the key.'),
        name: z.string().describe('A name for people.'),
        role: z.enum(ROLES).describe('The role of the key now: its own, or that of the account if that is narrower.'),
        bot_ids: z.array(z.int()).nullable().describe('The bots that the key sees now; null: every bot.'),
        expires_at: z.iso.datetime().describe('When the key expires. Absent: never.').optional(),
      })
      .optional()
      .describe('The API key of the call. Absent with a session.'),
    second_factor_missing: factorMissing,
  })
  .meta({ id: 'OwnAccount' });

export type OwnAccountResource = z.infer<typeof ownAccountResource>;

/** Why a sign-in at the identity provider led to no session; the console is opened with it in the query. */
export type OidcRefusal = 'provider_away' | 'not_begun' | 'denied' | 'failed' | 'no_account' | 'username_taken';

export const signInOperations = {
  listSignInWays: defineOperation({
    method: 'GET',
    paths: ['/api/auth/ways'],
    role: 'public',
    summary: 'Tells how people may sign in.',
    input: z.object({}),
    output: z.strictObject({
      password: z.boolean().describe('False: only the local admin may sign in with a password.'),
      oidc: z
        .strictObject({
          name: z.string().describe('The name of the identity provider.'),
          start_url: z
            .string()
            .describe(
              'Where a browser begins; it comes back to the path of the console in `return_to`, with `?sign_in=` and a reason if it failed.',
            ),
        })
        .optional()
        .describe('The identity provider. Absent: there is none.'),
    }),
    example: {
      input: {},
      output: {
        password: true,
        oidc: { name: 'Example', start_url: 'https://bots.example.com/api/auth/oidc/start' },
      },
    },
  }),

  login: defineOperation({
    method: 'POST',
    audit: ['sign_in', 'sign_in_begin', 'sign_in_limit'],
    paths: ['/api/auth/login'],
    role: 'public',
    summary: 'Signs in and sets the session cookie.',
    description:
      'In the username, case, width and accents do not matter. An account with a second factor needs `code` or `passkey`: without it the answer is 401 with `second_factor_needed`. After five failures of an account or of an address within 15 minutes, the answer is 429. An address from which the account has signed in before has a limit of its own.',
    input: z.object({
      username: username(),
      password: knownPassword().describe('The password.'),
      code: factorCode().optional(),
      passkey: passkeyAnswer()
        .describe('In place of `code`: what the browser made with the `options` of `POST /api/auth/passkeys/ask`.')
        .optional(),
    }),
    bodyLimitBytes: 16_384,
    output: signedIn,
    limits: ['sign-in-failures', 'sign-ins'],
    errors: ['unauthorized', 'second_factor_needed', 'forbidden', 'too_many_requests'],
    example: {
      input: { username: 'admin', password: 'correct horse battery' },
      output: { user: EXAMPLE_ACCOUNT, must_change_password: false },
    },
  }),

  signInByLink: defineOperation({
    method: 'POST',
    audit: ['sign_in'],
    paths: ['/api/auth/sign-in-link'],
    role: 'public',
    summary: 'Signs in with a one-time link and sets the session cookie.',
    description:
      'A new installation prints such a link, and so does `flotilla sign-in-link`. It ends with the next link or sign-in of the account, after 15 minutes, and when its password changes.',
    input: z.object({
      token: z
        .string()
        .regex(/^[\w-]{43}$/, 'must be the token of a sign-in link')
        .describe('What follows `#sign-in=` in the link.'),
    }),
    bodyLimitBytes: 16_384,
    output: signedIn,
    errors: ['unauthorized'],
    example: {
      input: { token: 'Zx1pB8m7Qk0aVt3yR5uW2sN9cD4fG6hJ1kL7oP0eTaU' },
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
    summary: 'Shows the account of the caller.',
    description:
      'With an API key, the answer also says which key it is and what the key may do. That is at most what its account may do.',
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
    summary: 'Changes your own password and ends the other sessions of the account.',
    description: 'A wrong old password counts as a failed sign-in.',
    input: z.object({
      old_password: knownPassword().describe('The current password.'),
      new_password: newPassword(),
    }),
    output: okAnswer,
    beforePasswordChange: true,
    limits: ['sign-in-failures', 'sign-ins'],
    errors: ['too_many_requests'],
    example: {
      input: { old_password: 'correct horse battery', new_password: 'staple horse battery' },
      output: { ok: true },
    },
  }),
};
