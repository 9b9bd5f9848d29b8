import { z } from 'zod';
import { knownPassword, username } from './accounts.ts';
import { createdAtField, okAnswer, ownIdField } from './fields.ts';
import { ownId, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** A code of the app, or a recovery code. */
export const factorCode = () =>
  text({ min: 1, max: 64 }).describe(
    'The code that the authenticator app shows, or a recovery code. Spaces and dashes do not matter.',
  );

/** What a browser made of a passkey. */
export const passkeyAnswer = () =>
  text({ min: 2, max: 12_000 }).describe(
    'What the browser made with `options`: `JSON.stringify(credential.toJSON())`. Each challenge counts once, for five minutes.',
  );

const passkeyOptions = z
  .string()
  .describe(
    'JSON for `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` of the browser.',
  );

const ownPassword = () => knownPassword().describe('The password of your account.');

/** What removes a factor beside the password. */
const proof = {
  code: factorCode().optional(),
  passkey: passkeyAnswer()
    .describe('In place of `code`: what the browser made with the `options` of `POST /api/auth/passkeys/ask`.')
    .optional(),
};

const passkeyResource = z
  .strictObject({
    id: ownIdField,
    name: z.string().describe('A name for people.'),
    created_at: createdAtField,
    last_used_at: z.iso.datetime().describe('When it was last used. Absent: never.').optional(),
  })
  .meta({ id: 'Passkey' });

const session = {
  role: 'any',
  beforePasswordChange: true,
  limits: ['sign-in-failures', 'sign-ins'],
  errors: ['too_many_requests', 'conflict'],
} as const;

/** A key adds no factor, and a session adds none beside another that it did not prove. */
const adding = { ...session, errors: [...session.errors, 'second_factor_needed'] } as const;

const PASSKEY = { id: 3, name: 'This laptop', created_at: '2026-01-01T09:00:00.000Z' };

export const secondFactorOperations = {
  showSecondFactor: defineOperation({
    method: 'GET',
    paths: ['/api/auth/second-factor'],
    role: 'any',
    beforePasswordChange: true,
    summary: 'Shows what your account needs beside its password.',
    input: z.object({}),
    output: z.strictObject({
      totp: z.boolean().describe('True: a code of an authenticator app is taken.'),
      passkeys: z.array(passkeyResource).describe('The passkeys that are taken.'),
      passkeys_possible: z
        .boolean()
        .describe('False: browsers have no passkeys here, since PUBLIC_URL is not https with the name of a host.'),
      recovery_codes_left: z.int().describe('How many recovery codes were not used yet.'),
      required: z.boolean().describe('True: the setting SECOND_FACTOR asks for one.'),
    }),
    example: {
      input: {},
      output: { totp: true, passkeys: [PASSKEY], passkeys_possible: true, recovery_codes_left: 10, required: false },
    },
  }),

  beginTotp: defineOperation({
    ...adding,
    method: 'POST',
    audit: ['sign_in_limit'],
    paths: ['/api/auth/totp/begin'],
    summary: 'Makes a secret for an authenticator app. It counts once a code of it was confirmed in the same session.',
    description:
      'Refused to API keys, and to a session that began with a password alone if the account has a second factor. A wrong password counts as a failed sign-in. The answer is the only one that has the secret.',
    input: z.object({ password: ownPassword() }),
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
    ...adding,
    method: 'POST',
    audit: ['second_factor_add', 'sign_in_limit'],
    paths: ['/api/auth/totp/confirm'],
    summary: 'Confirms the secret by a code, and gives recovery codes, this once.',
    description:
      'The other sessions of the account end. Each recovery code works once in place of a code. A wrong code counts as a failed sign-in.',
    input: z.object({ code: factorCode() }),
    output: z.strictObject({
      recovery_codes: z
        .array(z.string())
        .describe('Ten codes, to be kept elsewhere. None if the account has some already.'),
    }),
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
    summary: 'Removes the authenticator app of your account.',
    description: 'The other sessions of the account end. A wrong password or code counts as a failed sign-in.',
    input: z.object({ password: ownPassword(), ...proof }),
    output: okAnswer,
    example: { input: { password: 'correct horse battery', code: '287082' }, output: { ok: true } },
  }),

  beginPasskey: defineOperation({
    ...adding,
    method: 'POST',
    audit: ['sign_in_limit'],
    paths: ['/api/auth/passkeys/begin'],
    summary: 'Begins to add a passkey, in a session.',
    description:
      'Refused to API keys, and to a session that began with a password alone if the account has a second factor. A wrong password counts as a failed sign-in.',
    input: z.object({ password: ownPassword() }),
    output: z.strictObject({ options: passkeyOptions }),
    example: { input: { password: 'correct horse battery' }, output: { options: '{"challenge":"…"}' } },
  }),

  addPasskey: defineOperation({
    ...adding,
    method: 'POST',
    audit: ['second_factor_add'],
    paths: ['/api/auth/passkeys/add'],
    summary: 'Adds the passkey that the browser made, and gives recovery codes, this once.',
    description:
      'The other sessions of the account end. A sign-in with the password then needs it, or another second factor.',
    input: z.object({
      name: text({ min: 1, max: 64 }).describe('A name for people.'),
      passkey: passkeyAnswer(),
    }),
    output: z.strictObject({
      id: ownIdField,
      recovery_codes: z.array(z.string()).describe('Ten codes. None if the account has some already.'),
    }),
    example: {
      input: { name: 'This laptop', passkey: '{"id":"…"}' },
      output: { id: 3, recovery_codes: ['abcd-efgh-ijkl-mnop'] },
    },
  }),

  removePasskey: defineOperation({
    ...session,
    method: 'POST',
    audit: ['second_factor_remove', 'sign_in_limit'],
    paths: ['/api/auth/passkeys/remove'],
    summary: 'Removes a passkey of your account.',
    description: 'The other sessions of the account end. A wrong password, code or passkey counts as a failed sign-in.',
    input: z.object({ id: ownId(), password: ownPassword(), ...proof }),
    output: okAnswer,
    errors: ['too_many_requests', 'not_found'],
    example: { input: { id: 3, password: 'correct horse battery', code: '287082' }, output: { ok: true } },
  }),

  askForPasskey: defineOperation({
    role: 'public',
    limits: ['sign-in-failures', 'sign-ins'],
    method: 'POST',
    audit: ['sign_in_begin', 'sign_in_limit'],
    paths: ['/api/auth/passkeys/ask'],
    summary: 'Gives what a browser needs to use a passkey of the account.',
    description:
      'A wrong password counts as a failed sign-in. So does any for an account without a second factor: only `POST /api/auth/login` tells if that is right.',
    input: z.object({ username: username(), password: knownPassword().describe('The password.') }),
    bodyLimitBytes: 16_384,
    output: z.strictObject({ options: passkeyOptions.optional() }),
    errors: ['unauthorized', 'forbidden', 'too_many_requests'],
    example: {
      input: { username: 'admin', password: 'correct horse battery' },
      output: { options: '{"challenge":"…"}' },
    },
  }),

  resetSecondFactor: defineOperation({
    role: 'admin',
    wholeFleet: true,
    lasting: true,
    method: 'POST',
    audit: ['second_factor_reset'],
    paths: ['/api/auth/users/reset-second-factor'],
    summary:
      'Removes the authenticator app and the passkeys of an account, for somebody who lost them, and ends its sessions.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    errors: ['not_found'],
    example: { input: { id: 4 }, output: { ok: true } },
  }),
};
