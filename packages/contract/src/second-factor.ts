import { z } from 'zod';
import { knownPassword } from './accounts.ts';
import { okAnswer } from './fields.ts';
import { ownId, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** A code of the app, or a recovery code. */
export const factorCode = () =>
  text({ min: 1, max: 64 }).describe(
    'The code that the authenticator app shows, or a recovery code. Spaces and dashes do not matter.',
  );

const session = {
  role: 'any',
  beforePasswordChange: true,
  limits: ['sign-in-failures', 'sign-ins'],
  errors: ['too_many_requests', 'conflict'],
} as const;

export const secondFactorOperations = {
  showSecondFactor: defineOperation({
    method: 'GET',
    paths: ['/api/auth/second-factor'],
    role: 'any',
    beforePasswordChange: true,
    summary: 'Shows whether your account needs a code beside its password.',
    input: z.object({}),
    output: z.strictObject({
      totp: z.boolean().describe('True: a sign-in with the password needs a code of an authenticator app.'),
      recovery_codes_left: z.int().describe('How many recovery codes were not used yet.'),
      required: z.boolean().describe('True: the setting SECOND_FACTOR asks for one.'),
    }),
    example: { input: {}, output: { totp: true, recovery_codes_left: 10, required: false } },
  }),

  beginTotp: defineOperation({
    ...session,
    method: 'POST',
    audit: ['sign_in_limit'],
    paths: ['/api/auth/totp/begin'],
    summary: 'Makes a secret for an authenticator app. It counts once a code of it was confirmed.',
    description: 'A wrong password counts as a failed sign-in. The answer is the only one that has the secret.',
    input: z.object({ password: knownPassword().describe('The password of your account.') }),
    output: z.strictObject({
      secret: z.string().describe('The secret in base32, to be typed into an app.'),
      uri: z.string().describe('The same as a URI, to be shown as a QR code.'),
    }),
    example: {
      input: { password: 'correct horse battery' },
      output: {
        secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
        uri: 'otpauth://totp/Flotilla:admin?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Flotilla',
      },
    },
  }),

  confirmTotp: defineOperation({
    ...session,
    method: 'POST',
    audit: ['second_factor_add', 'sign_in_limit'],
    paths: ['/api/auth/totp/confirm'],
    summary: 'Confirms the secret by a code, and gives recovery codes, this once.',
    description:
      'The other sessions of the account end. Each recovery code works once in place of a code. A wrong code counts as a failed sign-in.',
    input: z.object({ code: factorCode() }),
    output: z.strictObject({ recovery_codes: z.array(z.string()).describe('Ten codes, to be kept elsewhere.') }),
    example: {
      input: { code: '287082' },
      output: { recovery_codes: ['abcd-efgh-ijkl-mnop'] },
    },
  }),

  removeTotp: defineOperation({
    ...session,
    method: 'POST',
    audit: ['second_factor_remove', 'sign_in_limit'],
    paths: ['/api/auth/totp/remove'],
    summary: 'Removes the second factor of your account.',
    description: 'The other sessions of the account end. A wrong password or code counts as a failed sign-in.',
    input: z.object({ password: knownPassword().describe('The password of your account.'), code: factorCode() }),
    output: okAnswer,
    example: { input: { password: 'correct horse battery', code: '287082' }, output: { ok: true } },
  }),

  resetSecondFactor: defineOperation({
    role: 'admin',
    wholeFleet: true,
    lasting: true,
    method: 'POST',
    audit: ['second_factor_reset'],
    paths: ['/api/auth/users/reset-second-factor'],
    summary: 'Removes the second factor of an account, for somebody who has lost the phone, and ends its sessions.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    errors: ['not_found'],
    example: { input: { id: 4 }, output: { ok: true } },
  }),
};
