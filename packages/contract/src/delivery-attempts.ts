import { z } from 'zod';
import { FAILURE, programFields } from './deliveries.ts';
import { EXAMPLE_CHAT_ID } from './examples.ts';
import { chatIdField, updateIdField } from './fields.ts';
import { botId, integer, pagedInputs } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** A request to a backend, as people see it. */
export const sentRequest = z
  .strictObject({
    method: z.literal('POST').describe('Always POST.'),
    url: z.string().describe('The URL of the backend. User information, query values and tokens in it are masked.'),
    headers: z.record(z.string(), z.string()).describe('The headers that Flotilla sets. Secrets are masked.'),
  })
  .meta({ id: 'BackendRequest' });

const responseExcerpt = z
  .string()
  .describe(
    "The beginning of the answer, at most 1,024 characters. The bot's token, its secret token, the secrets of the URL, and whatever else looks like a token or a password are cut out.",
  );
const responseContentType = z.string().describe('The Content-Type of the answer.');

/** One attempt to deliver an update. */
const attemptResource = z
  .strictObject({
    id: z.string().describe('Identifies the attempt among those of the bot.'),
    at: z.iso.datetime().describe('When it was sent.'),
    update_id: updateIdField,
    chat_id: chatIdField.optional(),
    ...programFields,
    status: z.int().describe('The HTTP status. 0: there was no answer.'),
    duration_ms: z.int().describe('Milliseconds from sending to the complete answer.'),
    error: z.string().describe('What went wrong. Absent if the update was delivered.').optional(),
    call_error: z
      .string()
      .describe('Why the call in the answer was not made, or was refused. The update is delivered. Absent otherwise.')
      .optional(),
    request: sentRequest
      .optional()
      .describe(
        'What was sent, without the body, which is the update. Absent if the settings of the bot have changed since.',
      ),
    response_content_type: responseContentType.optional(),
    response_excerpt: responseExcerpt.optional(),
  })
  .meta({ id: 'DeliveryAttempt' });

export const deliveryAttemptOperations = {
  listDeliveryAttempts: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries/attempts'],
    role: 'any',
    summary: "Lists the last 100 attempts to deliver updates to a bot's backend and to its programs, newest first.",
    description:
      'Each backend has 100 attempts of its own: `program_id` lists those of one program. Of the newest 20 failed answers of a backend the beginning is kept, for a day. Attempts of routing rules are not kept: their dead letters name the destinations that failed.',
    input: z.object({
      bot_id: botId(),
      program_id: integer({ min: 1 }).optional().describe('Only attempts of this program.'),
      ...pagedInputs(),
    }),
    output: z.array(attemptResource),
    botInputs: ['bot_id'],
    example: {
      input: { bot_id: 7 },
      output: [
        {
          id: '813-1767348960000',
          ...{
            at: '2026-01-02T10:16:00.000Z',
            update_id: 813,
            chat_id: EXAMPLE_CHAT_ID,
            status: 502,
            duration_ms: 120,
          },
          error: FAILURE,
          request: {
            method: 'POST',
            url: 'https://bots.example.com/helpdesk',
            headers: {
              'Content-Type': 'application/json',
              'X-Telegram-Bot-Api-Secret-Token': '****',
              'Flotilla-Delivery-Id': '7-813',
            },
          },
          response_content_type: 'text/plain',
          response_excerpt: 'upstream connect error',
        },
      ],
    },
  }),
};
