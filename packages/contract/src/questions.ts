import { z } from 'zod';
import { CONVERSATION_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT_ID } from './examples.ts';
import { createdAtField } from './fields.ts';
import {
  anyBotId,
  botId,
  businessConnectionId,
  chatId,
  integer,
  listOf,
  nullable,
  ownId,
  pagedInputs,
  platformId,
  text,
} from './inputs.ts';
import { defineOperation } from './operation.ts';

const STATES = ['open', 'answered', 'expired', 'cancelled'] as const;

/** The platform takes 4,096 characters; the rest is room for how the question ended. */
const LONGEST_TEXT = 3_500;
const LONGEST_OPTION = 64;
const MAX_OPTIONS = 10;
const MAX_ALLOWED = 100;
const DAY_S = 86_400;

const questionResource = z
  .strictObject({
    id: z.int().describe('The id in Flotilla.'),
    bot_id: z.int().describe('The bot that asks.'),
    chat_id: z.int().describe('The chat in which it asks.'),
    business_connection_id: z
      .string()
      .optional()
      .describe('The business connection through which it asks. Absent: the chat of the bot itself.'),
    thread_id: z.int().optional().describe('The topic in which it asks.'),
    message_id: z.int().optional().describe('The message with the buttons.'),
    text: z.string().describe('The question.'),
    options: z.array(z.string()).describe('The answers to choose from.'),
    allowed_user_ids: z.array(z.int()).optional().describe('Who may answer. Absent: everybody in the chat.'),
    state: z
      .enum(STATES)
      .describe(
        'open: nobody has answered yet. answered, expired, cancelled: how it ended, which never changes again.',
      ),
    option: z.string().optional().describe('The chosen answer.'),
    answered_by: z.int().optional().describe('The user who answered.'),
    answered_by_name: z.string().optional().describe('The name of that user.'),
    answered_at: z.string().optional().describe('When it was answered (ISO 8601).'),
    expires_at: z.string().describe('When it expires, or would have (ISO 8601).'),
    created_at: createdAtField,
  })
  .meta({ id: 'Question' });

export type QuestionResource = z.infer<typeof questionResource>;

const OPEN: QuestionResource = {
  id: 31,
  bot_id: 7,
  chat_id: EXAMPLE_CHAT_ID,
  message_id: 502,
  text: 'Deploy version 1.4 to production?',
  options: ['Deploy', 'Not now'],
  allowed_user_ids: [424242],
  state: 'open',
  expires_at: '2026-01-02T10:40:00.000Z',
  created_at: '2026-01-02T10:30:00.000Z',
};
const ANSWERED: QuestionResource = {
  ...OPEN,
  state: 'answered',
  option: 'Deploy',
  answered_by: 424242,
  answered_by_name: 'Ada',
  answered_at: '2026-01-02T10:31:07.000Z',
};

export const questionOperations = {
  addQuestion: defineOperation({
    method: 'POST',
    audit: ['send'],
    paths: ['/api/questions/add'],
    role: 'any',
    summary: 'Asks people in a chat: sends a message with a button for each answer.',
    description: `The press of a button is taken here. No other reader of the bot gets it. The first press of somebody who may answer
settles the question: they are told at once, and the message shows the answer instead of the buttons. Who presses later is told who
answered. After its time a question expires, and its message says so. Wait for the answer with \`GET /api/questions/wait\`, on any replica.

From its first question on, a bot keeps callbacks whose data begins with \`flq:\` from its programs.`,
    input: z.object({
      bot_id: botId(),
      chat_id: chatId(),
      business_connection_id: businessConnectionId().optional(),
      thread_id: integer({ min: 1 }).optional().describe('The topic of a forum.'),
      text: text({ min: 1, max: LONGEST_TEXT }).regex(/\S/, 'must not be blank').describe('The question.'),
      options: listOf(text({ min: 1, max: LONGEST_OPTION }).regex(/\S/, 'must not be blank'), MAX_OPTIONS)
        .refine((options) => options.length > 0, 'must not be empty')
        .refine((options) => new Set(options).size === options.length, 'must not have one twice')
        .describe(`The answers, 1 to ${MAX_OPTIONS}.`),
      allowed_user_ids: nullable(listOf(platformId(), MAX_ALLOWED))
        .refine((ids) => ids === null || ids.length > 0, 'must not be empty; null is everybody')
        .optional()
        .describe('Who may answer. Without it, everybody in the chat.'),
      expires_in_s: integer({ min: 5, max: DAY_S }).default(600).describe('Seconds until it expires.'),
    }),
    output: questionResource,
    botInputs: ['bot_id'],
    keyed: 'once',
    errors: [...CONVERSATION_ERRORS, 'not_found', 'platform_refused', 'platform_failed', 'too_many_requests'],
    example: {
      input: {
        bot_id: 7,
        chat_id: EXAMPLE_CHAT_ID,
        text: OPEN.text,
        options: OPEN.options,
        allowed_user_ids: [424242],
      },
      output: OPEN,
    },
  }),

  listQuestions: defineOperation({
    method: 'GET',
    paths: ['/api/questions'],
    role: 'any',
    summary: 'Lists questions, newest first. Those that ended are kept for 90 days.',
    input: z.object({
      bot_id: anyBotId(),
      chat_id: platformId().optional().describe('The chat in which they were asked.'),
      business_connection_id: businessConnectionId()
        .optional()
        .describe('Only those of a business connection; empty: only those of the bot itself.'),
      state: z.enum(STATES).optional().describe('How they stand.'),
      ...pagedInputs(),
    }),
    output: z.array(questionResource),
    botInputs: ['bot_id'],
    example: { input: { bot_id: 7 }, output: [ANSWERED] },
  }),

  showQuestion: defineOperation({
    method: 'GET',
    paths: ['/api/questions/show'],
    role: 'any',
    summary: 'Shows a question.',
    input: z.object({ id: ownId() }),
    output: questionResource,
    errors: ['not_found'],
    example: { input: { id: 31 }, output: ANSWERED },
  }),

  waitForQuestion: defineOperation({
    method: 'GET',
    paths: ['/api/questions/wait'],
    role: 'any',
    summary: 'Waits until a question is answered, expires or is cancelled.',
    description: 'Answers at once if it has ended. If the time is up first, the question is still `open`: ask again.',
    input: z.object({
      id: ownId(),
      timeout: integer({ min: 0, max: 60 }).default(30).describe('How long to wait, in seconds.'),
    }),
    output: questionResource,
    errors: ['not_found'],
    example: { input: { id: 31, timeout: 50 }, output: ANSWERED },
  }),

  cancelQuestion: defineOperation({
    method: 'POST',
    audit: ['question_cancel'],
    paths: ['/api/questions/cancel'],
    role: 'any',
    summary: 'Cancels a question, if nobody has answered it. The answer tells how it stands.',
    input: z.object({ id: ownId() }),
    output: questionResource,
    errors: ['not_found'],
    example: { input: { id: 31 }, output: { ...OPEN, state: 'cancelled' } },
  }),
};
