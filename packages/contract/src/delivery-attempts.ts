import { z } from 'zod';
import { FAILURE, programFields, statusInput } from './deliveries.ts';
import { EXAMPLE_CHAT_ID } from './examples.ts';
import { botIdField, chatIdField, updateIdField } from './fields.ts';
import { anyBotId, beforeInput, flag, integer, limitInput, moment, platformId } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** A request to a backend, as people see it. */
export const sentRequest = z
  .strictObject({
    method: z.literal('POST').describe('Always POST.'),
    url: z.string().describe('The URL of the backend. User information, query values and tokens in it are masked.'),
    headers: z.record(z.string(), z.string()).describe('The headers that Flotilla sets. Secrets are masked.'),
  })
  .meta({ id: 'BackendRequest' });

const response_excerpt = z
  .string()
  .describe(
    "The beginning of the answer, at most 1,024 characters. The bot's token, its secret token, the secrets of the URL, and whatever else looks like a token or a password are cut out.",
  );
const response_content_type = z.string().describe('The Content-Type of the answer.');

/** The readers that send updates, and so make attempts. */
const SENDING_READERS = ['push', 'rules', 'program'] as const;

/** One attempt to deliver an update. */
export const attemptResource = z
  .strictObject({
    id: z.string().describe('Identifies the attempt among those of the bot.'),
    bot_id: botIdField,
    at: z.iso.datetime().describe('When it was sent.'),
    reader: z
      .enum(SENDING_READERS)
      .describe('Who sent it. push: to the backend of the bot. program: to that of a program. rules: to a chat.'),
    ...programFields,
    update_id: updateIdField,
    chat_id: chatIdField.optional(),
    ok: z.boolean().describe('True if the update was delivered.'),
    status: z
      .int()
      .describe(
        'The HTTP status of the answer. Of rules: 200, or the `error_code` of the platform. 0: there was no answer.',
      ),
    duration_ms: z
      .int()
      .describe('Milliseconds from sending to the complete answer. Of rules: with the wait for the pace of the chat.'),
    attempt: z.int().describe('Its number among those of the update at this reader, from 1 on.'),
    replay: z
      .literal(true)
      .optional()
      .describe('Only of a copy that somebody sent once more: no figure counts it, and it is not repeated.'),
    destination: z
      .string()
      .optional()
      .describe(
        'Only of rules: where it went, `rule <id>`, for the router `rule <id>, bot <id>` if you may see that bot; or `the reply`, which answers a routed message.',
      ),
    call: z
      .string()
      .optional()
      .describe('The method of the call in the answer that was made. Absent: there was none, or see `call_error`.'),
    error: z.string().describe('What went wrong. Absent if the update was delivered.').optional(),
    call_error: z
      .string()
      .describe('Why the call in the answer was not made, or was refused. The update is delivered. Absent otherwise.')
      .optional(),
    request: sentRequest
      .optional()
      .describe(
        'What was sent, without the body, which is the update. Absent of rules, and if the settings of the bot have changed since.',
      ),
    response_content_type: response_content_type.optional(),
    response_excerpt: response_excerpt.optional(),
  })
  .meta({ id: 'DeliveryAttempt' });

export type AttemptResource = z.infer<typeof attemptResource>;

export const deliveryAttemptOperations = {
  listDeliveryAttempts: defineOperation({
    method: 'GET',
    paths: ['/api/deliveries/attempts'],
    role: 'any',
    summary:
      "Lists attempts to hand over a bot's updates: to its backend, to its programs, and by its rules; newest first.",
    description:
      'Without `bot_id` it lists the failed ones of all bots that the caller sees; with it, those that succeeded are among them. A bot that failed last under a release before 1.1, or before Redis was emptied, is listed there once it has failed again. All attempts of the last 24 hours are kept, and of each reader at least the last 1,000. Of the newest 20 failed answers of a backend the beginning is kept, for a day.\n\nThere is no `X-Total-Count`. A `Link` goes on where there may be more; with filters that match little, a page may be short.',
    input: z.object({
      bot_id: anyBotId(),
      reader: z.enum(SENDING_READERS).optional().describe('Only attempts of this reader; program: of all programs.'),
      program_id: integer({ min: 1 }).optional().describe('Only attempts of this program.'),
      ok: flag().optional().describe('True: only those that delivered the update. False: only those that failed.'),
      status: statusInput()
        .optional()
        .describe('Only this HTTP status: `502`; a class of them: `5xx`; or `0`: there was no answer.'),
      chat_id: platformId().optional().describe('Only attempts with updates of this chat.'),
      update_id: integer({ min: 0 }).optional().describe('Only attempts with this update.'),
      since: moment().optional().describe('Only at this time or later: Unix seconds, or ISO 8601 with a zone.'),
      until: moment().optional().describe('Only before this time, in the same forms.'),
      limit: limitInput({ default: 100, max: 500 }),
      before: beforeInput(),
    }),
    output: z.array(attemptResource),
    uncounted: true,
    errors: ['too_many_requests'],
    botInputs: ['bot_id'],
    example: {
      input: { bot_id: 7 },
      output: [
        {
          id: '813-1767348960000-1',
          bot_id: 7,
          ...{
            at: '2026-01-02T10:16:00.000Z',
            reader: 'push',
            update_id: 813,
            chat_id: EXAMPLE_CHAT_ID,
            ok: false,
            status: 502,
            duration_ms: 120,
            attempt: 1,
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
