import { z } from 'zod';
import { sentRequest } from './delivery-attempts.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { botId, hasRounded, ownId } from './inputs.ts';
import { defineOperation } from './operation.ts';

const testedDelivery = z
  .strictObject({
    request: z
      .strictObject({ ...sentRequest.shape, body: z.string().describe('The update that was sent, as JSON text.') })
      .describe('What was sent.'),
    status: z.int().describe('The HTTP status. 0: there was no answer.'),
    duration_ms: z.int().describe('Milliseconds from sending to the complete answer.'),
    response_content_type: z.string().describe('The Content-Type of the answer.').optional(),
    response_excerpt: z
      .string()
      .describe('The beginning of the answer without secrets, at most 1,024 characters. Empty if there was none.'),
    error: z.string().describe('What went wrong. Absent if the backend took the update.').optional(),
  })
  .meta({ id: 'TestedDelivery' });

const healthResource = z
  .strictObject({
    healthy: z.boolean().describe('True if the backend answers with a status below 400, or with 405.'),
    status_code: z.int().describe('The HTTP status of the answer. 0: the backend was not reached.'),
    latency_ms: z.int().describe('Milliseconds until it answered.'),
    error: z.string().describe('Why the backend was not reached. Absent if it answered.').optional(),
  })
  .meta({ id: 'Health' });

const HEALTH_NOTE = 'A status below 400 is healthy. So is 405, because a webhook that takes only POST answers with it.';

const NO_UPDATE = 'must be a JSON object, or its text, with an integer update_id of 0 or more';

/** An update to send, as an object or as its JSON text. */
const givenUpdate = z
  .union([z.string(), z.record(z.string(), z.unknown())], { error: NO_UPDATE })
  .refine((update) => isUpdate(typeof update === 'string' ? parsedOrNull(update) : update), NO_UPDATE)
  .refine(
    (update) => typeof update === 'string' || !hasRounded(update),
    'has a number beyond 2^53-1, which would be rounded; send the update as text',
  )
  .optional()
  .describe('The update: a JSON object, or its JSON text, which is sent byte for byte.');

function isUpdate(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { update_id: id } = value as { update_id?: unknown };
  return Number.isSafeInteger(id) && (id as number) >= 0;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const TEST_NOTE = `The request has the headers of a delivery, and \`X-Flotilla-Test: 1\`. It goes past the log: nothing that waits is
delivered, the state of the backend and the list of attempts do not change, and a call in the answer is not executed. The
backend has 10 s to answer. An error of the backend is a result, with the status 0 if there was no answer.

Without \`update\` the backend gets a sample message with the \`update_id\` 0, which no real update has. One test a second is
possible for a bot with its programs.`;

const TESTED = { status: 200, duration_ms: 38, response_content_type: 'text/plain', response_excerpt: 'OK' };
const UPDATE = { update_id: 813, message: { message_id: 5, text: '/status' } };
const BODY = '{"update_id":813,"message":{"message_id":5,"text":"/status"}}';

export const backendOperations = {
  checkBackendHealth: defineOperation({
    method: 'GET',
    paths: ['/api/bots/health'],
    role: 'any',
    summary: "Sends a GET to the bot's backend URL and waits for the answer, at most 5 s.",
    description: `${HEALTH_NOTE} If the bot has no backend URL, the call is refused with 400.`,
    input: z.object({ id: ownId() }),
    botInputs: ['id'],
    aliases: { bot_id: 'id' },
    output: healthResource,
    example: { input: { id: 7 }, output: { healthy: true, status_code: 200, latency_ms: 35 } },
  }),

  checkProgramHealth: defineOperation({
    method: 'GET',
    paths: ['/api/programs/health'],
    role: 'any',
    summary: 'Sends a GET to the backend URL of a program and waits for the answer, at most 5 s.',
    description: `${HEALTH_NOTE} If the program has no backend URL, the call is refused with 400.`,
    input: z.object({ id: ownId() }),
    output: healthResource,
    errors: ['not_found'],
    example: { input: { id: 4 }, output: { healthy: true, status_code: 200, latency_ms: 35 } },
  }),

  testDelivery: defineOperation({
    method: 'POST',
    audit: ['test_delivery'],
    paths: ['/api/bots/test-delivery'],
    sends: true,
    role: 'any',
    summary: "Sends one update to the bot's backend and shows the answer.",
    description: `${TEST_NOTE} If the bot has no backend URL, the call is refused with 400.`,
    input: z.object({ bot_id: botId(), update: givenUpdate }),
    output: testedDelivery,
    botInputs: ['bot_id'],
    errors: ['too_many_requests'],
    example: {
      input: { bot_id: EXAMPLE_BOT_ID, update: UPDATE },
      output: {
        request: {
          method: 'POST',
          url: 'https://bots.example.com/helpdesk',
          headers: {
            'Content-Type': 'application/json',
            'X-Telegram-Bot-Api-Secret-Token': '****',
            'Flotilla-Delivery-Id': '7-test-0d1c2b3a-1111-4222-8333-444455556666',
            'X-Flotilla-Test': '1',
          },
          body: BODY,
        },
        ...TESTED,
      },
    },
  }),

  testProgramDelivery: defineOperation({
    method: 'POST',
    audit: ['test_delivery'],
    paths: ['/api/programs/test-delivery'],
    sends: true,
    role: 'any',
    summary: 'Sends one update to the backend of a program and shows the answer.',
    description: `${TEST_NOTE} The kinds and the filter of the program are not asked. If the program has no backend URL, the call
is refused with 400.`,
    input: z.object({ id: ownId().describe('The program.'), update: givenUpdate }),
    output: testedDelivery,
    errors: ['not_found', 'too_many_requests'],
    example: {
      input: { id: 4, update: UPDATE },
      output: {
        request: {
          method: 'POST',
          url: 'https://bots.example.com/analytics',
          headers: {
            'Content-Type': 'application/json',
            'Flotilla-Delivery-Id': '7-p4-test-0d1c2b3a-1111-4222-8333-444455556666',
            'X-Flotilla-Test': '1',
          },
          body: BODY,
        },
        ...TESTED,
      },
    },
  }),
};
