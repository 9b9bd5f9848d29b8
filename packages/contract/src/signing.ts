import { z } from 'zod';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { okAnswer } from './fields.ts';
import { botId, ownId } from './inputs.ts';
import { defineOperation } from './operation.ts';

const DESCRIPTION = `The first call makes the secret; from then on deliveries carry the headers of [Standard Webhooks](https://www.standardwebhooks.com):
\`webhook-id\`, the same at every try; \`webhook-timestamp\`; and \`webhook-signature\`, \`v1,\` and the HMAC-SHA256 of id, timestamp and
body in base64. The body and the other headers stay as they are.

Each further call replaces the secret. For 24 hours deliveries carry two signatures, separated by a space: by the new secret, and
by the one before. A rotation within that time ends the oldest one. After a leak, remove the secret first: then the old one signs
nothing more.`;

const signingSecret = z
  .strictObject({
    signing_secret: z.string().describe('The secret: `whsec_` and 32 bytes in base64. It is never shown again.'),
    previous_valid_until: z.iso
      .datetime()
      .optional()
      .describe(
        'Until when deliveries also carry a signature by the previous secret. Absent if there was none, or if it could not be opened.',
      ),
  })
  .meta({ id: 'SigningSecret' });

const rotated = {
  signing_secret: 'whsec_ZXhhbXBsZSBleGFtcGxlIGV4YW1wbGUgZXhhbXBsZSE=',
  previous_valid_until: '2026-01-03T10:15:00.000Z',
};
const botInput = z.object({ bot_id: botId() });
const programInput = z.object({ program_id: ownId().describe('The program.') });

export const signingOperations = {
  rotateBotSigning: defineOperation({
    method: 'POST',
    role: 'admin',
    botInputs: ['bot_id'],
    audit: ['signing_enable', 'signing_rotate'],
    lasting: true,
    paths: ['/api/bots/rotate-signing'],
    summary: "Makes or replaces the secret that signs the deliveries to a bot's backend, and shows it, this once.",
    description: DESCRIPTION,
    input: botInput,
    output: signingSecret,
    example: { input: { bot_id: EXAMPLE_BOT_ID }, output: rotated },
  }),

  removeBotSigning: defineOperation({
    method: 'POST',
    role: 'admin',
    botInputs: ['bot_id'],
    audit: ['signing_remove'],
    paths: ['/api/bots/remove-signing'],
    summary: "Deletes the secret that signs the deliveries to a bot's backend. They are not signed any more.",
    input: botInput,
    output: okAnswer,
    errors: ['conflict'],
    example: { input: { bot_id: EXAMPLE_BOT_ID }, output: { ok: true } },
  }),

  rotateProgramSigning: defineOperation({
    method: 'POST',
    role: 'any',
    audit: ['signing_enable', 'signing_rotate'],
    lasting: true,
    paths: ['/api/programs/rotate-signing'],
    summary:
      'Makes or replaces the secret that signs the deliveries to the backend of a program, and shows it, this once.',
    description: DESCRIPTION,
    input: programInput,
    output: signingSecret,
    errors: ['not_found'],
    example: { input: { program_id: 4 }, output: rotated },
  }),

  removeProgramSigning: defineOperation({
    method: 'POST',
    role: 'any',
    audit: ['signing_remove'],
    paths: ['/api/programs/remove-signing'],
    summary: 'Deletes the secret that signs the deliveries to the backend of a program. They are not signed any more.',
    input: programInput,
    output: okAnswer,
    errors: ['not_found', 'conflict'],
    example: { input: { program_id: 4 }, output: { ok: true } },
  }),
};
