import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { CONVERSATION_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT_ID } from './examples.ts';
import { createdAtField, requestIdField } from './fields.ts';
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
import { type Answer, defineResource, type Row } from './resource.ts';

const STATES = ['open', 'answered', 'expired', 'cancelled'] as const;

/** The platform takes 4,096 characters; the rest is room for how the question ended. */
const LONGEST_TEXT = 3_500;
const LONGEST_OPTION = 64;
const MAX_OPTIONS = 10;
const MAX_ALLOWED = 100;
const DAY_S = 86_400;

export const questionResource = defineResource('Question', {
  id: { stored: filled(column.bigint), shown: z.int().describe('The id in Flotilla.') },
  bot_id: { stored: column.bigint, shown: z.int().describe('The bot that asks.'), input: botId(), filter: anyBotId() },
  chat_id: {
    stored: column.bigint,
    shown: z.int().describe('The chat in which it asks.'),
    input: chatId(),
    filter: platformId().optional().describe('The chat in which they were asked.'),
  },
  /** '' for the chat of the bot itself. */
  business_connection_id: {
    stored: filled(column.text()),
    shown: z
      .string()
      .optional()
      .describe('The business connection through which it asks. Absent: the chat of the bot itself.'),
    input: businessConnectionId().optional(),
    filter: businessConnectionId()
      .optional()
      .describe('Only those of a business connection; empty: only those of the bot itself.'),
  },
  thread_id: {
    stored: orNull(column.bigint),
    shown: z.int().optional().describe('The topic in which it asks.'),
    input: integer({ min: 1 }).optional().describe('The topic of a forum.'),
  },
  /** null until the platform has taken the message. */
  message_id: { stored: orNull(column.bigint), shown: z.int().optional().describe('The message with the buttons.') },
  text: {
    stored: column.text(),
    shown: z.string().describe('The question.'),
    input: text({ min: 1, max: LONGEST_TEXT }).regex(/\S/, 'must not be blank').describe('The question.'),
  },
  options: {
    stored: column.jsonb<string[]>(),
    shown: z.array(z.string()).describe('The answers to choose from.'),
    input: listOf(text({ min: 1, max: LONGEST_OPTION }).regex(/\S/, 'must not be blank'), MAX_OPTIONS)
      .refine((options) => options.length > 0, 'must not be empty')
      .refine((options) => new Set(options).size === options.length, 'must not have one twice')
      .describe(`The answers, 1 to ${MAX_OPTIONS}.`),
  },
  allowed_user_ids: {
    stored: orNull(column.jsonb<number[]>()),
    shown: z.array(z.int()).optional().describe('Who may answer. Absent: everybody in the chat.'),
    input: nullable(listOf(platformId(), MAX_ALLOWED))
      .refine((ids) => ids === null || ids.length > 0, 'must not be empty; null is everybody')
      .optional()
      .describe('Who may answer. Without it, everybody in the chat.'),
  },
  state: {
    stored: filled(column.text<(typeof STATES)[number]>()),
    shown: z
      .enum(STATES)
      .describe(
        'open: nobody has answered yet. answered, expired, cancelled: how it ended, which never changes again.',
      ),
    filter: z.enum(STATES).optional().describe('How they stand.'),
  },
  /** The index of the option, once it was answered. */
  chosen: { stored: orNull(column.integer) },
  option: { shown: z.string().optional().describe('The chosen answer.') },
  answered_by: { stored: orNull(column.bigint), shown: z.int().optional().describe('The user who answered.') },
  answered_by_name: {
    stored: filled(column.text()),
    shown: z.string().optional().describe('The name of that user.'),
  },
  answered_at: { shown: z.string().optional().describe('When it was answered (ISO 8601).') },
  settled_at: { stored: orNull(column.timestamptz) },
  expires_at: {
    stored: column.timestamptz,
    shown: z.string().describe('When it expires, or would have (ISO 8601).'),
  },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
  request_id: { stored: orNull(column.text()), shown: requestIdField.optional() },
  traceparent: { stored: orNull(column.text()) },
  /** The proof that a button is ours. */
  nonce: { stored: column.text() },
  /** The message shows how it ended. */
  shown: { stored: filled(column.boolean) },
});

export type Question = Row<typeof questionResource>;
export type QuestionResource = Answer<typeof questionResource>;

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
      ...questionResource.addInputs,
      expires_in_s: integer({ min: 5, max: DAY_S }).default(600).describe('Seconds until it expires.'),
    }),
    output: questionResource.answer,
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
      ...questionResource.filters,
      ...pagedInputs(),
    }),
    output: z.array(questionResource.answer),
    botInputs: ['bot_id'],
    example: { input: { bot_id: 7 }, output: [ANSWERED] },
  }),

  showQuestion: defineOperation({
    method: 'GET',
    paths: ['/api/questions/show'],
    role: 'any',
    summary: 'Shows a question.',
    input: z.object({ id: ownId() }),
    output: questionResource.answer,
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
    output: questionResource.answer,
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
    output: questionResource.answer,
    errors: ['not_found'],
    example: { input: { id: 31 }, output: { ...OPEN, state: 'cancelled' } },
  }),
};
