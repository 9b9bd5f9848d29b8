import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { EXAMPLE_CHAT_ID } from './examples.ts';
import { createdAtField, enabledField, ownIdField } from './fields.ts';
import { flag, integer, nullable, ownId, ownIds, platformId, text } from './inputs.ts';
import { conditionText } from './program-filters.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

const CONDITION_TYPES = ['chat_id', 'thread_id', 'user_id', 'keyword', 'text', 'all', 'llm'] as const;

export type ConditionType = (typeof CONDITION_TYPES)[number];

export const ROUTING_ACTIONS = ['forward', 'copy', 'drop', 'hold'] as const;

export type RoutingAction = (typeof ROUTING_ACTIONS)[number];

/** After a crash between sending a message and recording it: send it again, or leave it out. */
const ROUTING_DELIVERIES = ['at_least_once', 'at_most_once'] as const;

export type RoutingDelivery = (typeof ROUTING_DELIVERIES)[number];

/** How many rules of a bot can be put in order. */
export const MOST_RULES = 1_000;

/** How many candidates a rule may name, and of how many a model reads the description. */
export const MAX_CANDIDATES = 50;

const SOURCE_NOTE = 'The bot whose messages the rule is about.';

const CONDITION_TYPE_NOTE = 'What `condition_value` is compared with.';

const CANDIDATES_NOTE =
  'With condition llm and target_bot_id 0: the bots to choose from. null: all enabled bots that have a description, but the source.';

const TARGET_NOTE =
  'The bot that sends. 0, only with condition llm: the router chooses it by the descriptions of the candidates.';

const DELIVERY_NOTE =
  'What happens to a message if a worker crashes while it sends it. at_least_once: it may be sent twice. at_most_once: it may not be sent at all.';

export const ACTION_NOTE =
  'forward: sends the message and shows where it came from. copy: sends it and does not show that. drop: keeps it from the backend. hold: takes its chat over from the bot for `action_minutes`, so that a person can answer; the message itself still goes to the bot.';

const MINUTES_NOTE = 'Only with the action hold: for how many minutes.';

export const routingRule = defineResource('Route', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  source_bot_id: { stored: column.bigint, shown: z.int().describe(SOURCE_NOTE), input: ownId().describe(SOURCE_NOTE) },
  /** Null: the router chooses it for each message. */
  target_bot_id: {
    stored: orNull(column.bigint),
    shown: z
      .int()
      .describe(`${TARGET_NOTE} Also 0: a bot that you may not see; with condition llm, no candidate is listed then.`),
    input: integer({ min: 0 }).optional().describe(`${TARGET_NOTE} Required unless the action is drop or hold.`),
  },
  candidate_bot_ids: {
    stored: orNull(column.jsonb<number[]>()),
    shown: z.array(z.int()).nullable().optional().describe(CANDIDATES_NOTE),
    input: nullable(ownIds(MAX_CANDIDATES)).optional().describe(`${CANDIDATES_NOTE} At most ${MAX_CANDIDATES}.`),
  },
  condition_type: {
    stored: column.text<ConditionType>(),
    shown: z.enum(CONDITION_TYPES).describe(CONDITION_TYPE_NOTE),
    input: z.enum(CONDITION_TYPES).describe(CONDITION_TYPE_NOTE),
  },
  // An id in a condition may come as a number.
  condition_value: {
    stored: filled(column.text()),
    shown: z
      .string()
      .describe(
        'For chat_id: the id. For thread_id: a chat and one of its topics, as `<chat>:<thread>`; 0 is outside every topic, and General, and 1 is General. For user_id: the id of the author, a user or the chat in whose name it was written. For keyword: a word or phrase. For text: a regular expression. For all: empty. For llm: an instruction for the model, or empty.',
      ),
    input: z
      .preprocess(
        (value) => (Number.isSafeInteger(value) ? String(value) : value),
        conditionText().describe(
          'For chat_id: the id. For thread_id: a chat and one of its topics, as `<chat>:<thread>`; 0 is outside every topic, and General, and 1 is General. For user_id: the id of the author, a user or the chat in whose name it was written. For keyword: a word or phrase; case does not matter. For text: a regular expression (RE2 syntax) that matches anywhere. For all: nothing. For llm: an instruction for the model, which may be left out.',
        ),
      )
      .optional(),
  },
  action: {
    stored: column.text<RoutingAction>(),
    shown: z.enum(ROUTING_ACTIONS).describe(ACTION_NOTE),
    input: z.enum(ROUTING_ACTIONS).describe(ACTION_NOTE),
  },
  action_minutes: {
    stored: orNull(column.integer),
    shown: z.int().optional().describe(MINUTES_NOTE),
    input: nullable(integer({ min: 1, max: 1440 }))
      .optional()
      .describe(`${MINUTES_NOTE} [60]`),
  },
  target_chat_id: {
    stored: orNull(column.bigint),
    shown: z
      .int()
      .optional()
      .describe('The chat that the messages are sent to. Absent only if the action is drop or hold.'),
    input: nullable(platformId())
      .optional()
      .describe(
        'The chat to send to. Required unless the action is drop or hold. 0: the chat that the message came from.',
      ),
  },
  enabled: {
    stored: filled(column.boolean),
    shown: enabledField,
    input: flag().describe('True if the rule is in use.'),
    initial: true,
  },
  delivery: {
    stored: filled(column.text<RoutingDelivery>()),
    shown: z.enum(ROUTING_DELIVERIES).describe(DELIVERY_NOTE),
    input: z.enum(ROUTING_DELIVERIES).describe(DELIVERY_NOTE),
    initial: 'at_least_once',
  },
  description: {
    stored: filled(column.text()),
    shown: z.string().describe('A text for people.'),
    input: text({ max: 4096 }).describe('A text for people.'),
    initial: '',
  },
  condition_name: {
    shown: z
      .string()
      .describe('Of a condition about a chat, a topic or a user: what people call it, as the bot last saw it.')
      .optional(),
  },
  target_bot_name: { shown: z.string().describe('The name of the bot that sends, if the caller sees it.').optional() },
  target_chat_title: {
    shown: z
      .string()
      .describe('The title of the chat to send to, as the bot that sends last saw it, if the caller sees that bot.')
      .optional(),
  },
  /** Rules run by it; null: by the id. Those that were put in order have the numbers that they had together before. */
  position: { stored: orNull(column.bigint) },
  hits: {
    shown: z
      .int()
      .describe(
        'On how many messages the rule has acted since it was made. A message or an album counts once, when its handling ends or is first to be tried again, and shows a second later. A rule that drops counts where a backend, or another rule, would get the message. Changes of the rule and of its place keep the count.',
      ),
  },
  last_hit_at: { shown: z.iso.datetime().nullable().describe('When it last acted. null: never.') },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type RoutingRuleRow = Row<typeof routingRule>;

export type RoutingRuleResource = Answer<typeof routingRule>;

export const RULE: RoutingRuleResource = {
  id: 5,
  source_bot_id: 7,
  target_bot_id: 9,
  condition_type: 'keyword',
  condition_value: 'refund',
  action: 'copy',
  target_chat_id: EXAMPLE_CHAT_ID,
  enabled: true,
  delivery: 'at_least_once',
  description: 'Refunds go to the accountants',
  target_bot_name: 'Accounts',
  target_chat_title: 'Accountants',
  hits: 318,
  last_hit_at: '2026-01-09T16:04:05.000Z',
  created_at: '2026-01-02T10:30:00.000Z',
};
