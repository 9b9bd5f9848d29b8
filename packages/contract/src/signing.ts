import { z } from 'zod';
import { okAnswer } from './fields.ts';
import { ownId } from './inputs.ts';
import { defineOperation } from './operation.ts';

const DESCRIPTION = `Deliveries then carry the headers of [Standard Webhooks](https://www.standardwebhooks.com): \`webhook-id\`, the same at every try;
\`webhook-timestamp\`; and \`webhook-signature\`, \`v1,\` and the HMAC-SHA256 of id, timestamp and body in base64. The body and the
other headers stay as they are.`;

const signingSecret = z
  .strictObject({
    signing_secret: z.string().describe('The secret: `whsec_` and 32 bytes in base64. It is never shown again.'),
  })
  .meta({ id: 'SigningSecret' });

const rotatedSecret = z
  .strictObject({
    ...signingSecret.shape,
    previous_valid_until: z.iso
      .datetime()
      .optional()
      .describe(
        'Until when deliveries also carry a signature by the previous secret. Absent if that could not be opened.',
      ),
  })
  .meta({ id: 'RotatedSigningSecret' });

const EXAMPLE = 'whsec_ZXhhbXBsZSBleGFtcGxlIGV4YW1wbGUgZXhhbXBsZSE=';
const ROTATE_NOTE =
  'For 24 hours deliveries carry two signatures, separated by a space: by the new secret, and by the one before. A rotation within that time ends the oldest one. After a leak, remove the secret and enable a new one: then the old one signs nothing more.';

const ofBot = { method: 'POST', role: 'admin', botInputs: ['id'] } as const;
const ofProgram = { method: 'POST', role: 'any' } as const;
const botInput = z.object({ id: ownId().describe('The bot.') });
const programInput = z.object({ id: ownId().describe('The program.') });
const rotated = { signing_secret: EXAMPLE, previous_valid_until: '2026-01-03T10:15:00.000Z' };

export const signingOperations = {
  enableBotSigning: defineOperation({
    ...ofBot,
    audit: ['signing_enable'],
    paths: ['/api/bots/signing/enable'],
    summary: "Makes a secret that signs the deliveries to a bot's backend, and shows it, this once.",
    description: DESCRIPTION,
    input: botInput,
    output: signingSecret,
    errors: ['conflict'],
    example: { input: { id: 7 }, output: { signing_secret: EXAMPLE } },
  }),

  rotateBotSigning: defineOperation({
    ...ofBot,
    audit: ['signing_rotate'],
    paths: ['/api/bots/signing/rotate'],
    summary: "Replaces the secret that signs the deliveries to a bot's backend, and shows the new one, this once.",
    description: ROTATE_NOTE,
    input: botInput,
    output: rotatedSecret,
    errors: ['conflict'],
    example: { input: { id: 7 }, output: rotated },
  }),

  removeBotSigning: defineOperation({
    ...ofBot,
    audit: ['signing_remove'],
    paths: ['/api/bots/signing/remove'],
    summary: "Deletes the secret that signs the deliveries to a bot's backend. They are not signed any more.",
    input: botInput,
    output: okAnswer,
    errors: ['conflict'],
    example: { input: { id: 7 }, output: { ok: true } },
  }),

  enableProgramSigning: defineOperation({
    ...ofProgram,
    audit: ['signing_enable'],
    paths: ['/api/programs/signing/enable'],
    summary: 'Makes a secret that signs the deliveries to the backend of a program, and shows it, this once.',
    description: DESCRIPTION,
    input: programInput,
    output: signingSecret,
    errors: ['not_found', 'conflict'],
    example: { input: { id: 4 }, output: { signing_secret: EXAMPLE } },
  }),

  rotateProgramSigning: defineOperation({
    ...ofProgram,
    audit: ['signing_rotate'],
    paths: ['/api/programs/signing/rotate'],
    summary:
      'Replaces the secret that signs the deliveries to the backend of a program, and shows the new one, this once.',
    description: ROTATE_NOTE,
    input: programInput,
    output: rotatedSecret,
    errors: ['not_found', 'conflict'],
    example: { input: { id: 4 }, output: rotated },
  }),

  removeProgramSigning: defineOperation({
    ...ofProgram,
    audit: ['signing_remove'],
    paths: ['/api/programs/signing/remove'],
    summary: 'Deletes the secret that signs the deliveries to the backend of a program. They are not signed any more.',
    input: programInput,
    output: okAnswer,
    errors: ['not_found', 'conflict'],
    example: { input: { id: 4 }, output: { ok: true } },
  }),
};
