import { z } from 'zod';
import { botId, integer } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** How many decisions of the router are kept for each bot. */
export const DECISIONS_KEPT = 500;

/** Who decided: the model of LLM_API_URL, or the built-in ranker by words. */
const DECIDERS = ['model', 'words'] as const;
export type Decider = (typeof DECIDERS)[number];

/** A decision of the router about a message. */
export const decided = {
  target_bot_id: z
    .int()
    .nullable()
    .describe('The chosen bot; null: none of the candidates; 0: one that the caller does not see.'),
  reason: z
    .string()
    .describe(
      'Why, in words; of a failure, what went wrong. At most 500 characters. Left out for a caller who does not see all bots that the rule may choose.',
    ),
  by: z.enum(DECIDERS).describe('model: the model of LLM_API_URL. words: the built-in ranker by words.'),
  duration_ms: z.int().describe('How long the decision took.'),
  tokens: z.int().optional().describe('Tokens that the model counted, of the question and its answer.'),
};

const decision = z
  .strictObject({
    at: z.string().describe('When it was decided (ISO 8601).'),
    route_id: z.int().describe('The rule.'),
    chat_id: z.int().describe('The chat of the message.'),
    ...decided,
    sticky: z.boolean().describe('True if an earlier decision still held for this chat, so nobody was asked.'),
  })
  .meta({ id: 'RouteDecision' });

export type RouteDecision = z.infer<typeof decision>;

export const routeDecisionOperations = {
  listRouteDecisions: defineOperation({
    method: 'GET',
    paths: ['/api/routes/decisions'],
    role: 'any',
    summary: 'Lists what the router decided for messages of a bot, newest first.',
    description: `The newest ${DECISIONS_KEPT} decisions of a bot are kept, for a week at most after the last one.`,
    input: z.object({
      bot_id: botId(),
      limit: integer({ min: 1, max: DECISIONS_KEPT }).default(100).describe('How many at most.'),
    }),
    output: z.array(decision),
    botInputs: ['bot_id'],
    example: {
      input: { bot_id: 7 },
      output: [
        {
          at: '2026-01-02T10:30:00.000Z',
          route_id: 8,
          chat_id: 424242,
          target_bot_id: 9,
          reason: 'refund, money',
          by: 'words',
          sticky: false,
          duration_ms: 1,
        },
      ],
    },
  }),
};
