import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { EXAMPLE_CHAT_ID } from './examples.ts';
import { createdAtField, enabledField, okAnswer, ownIdField } from './fields.ts';
import {
  botId,
  flag,
  integer,
  nullable,
  ownId,
  ownIds,
  pagedInputs,
  platformId,
  platformObject,
  text,
} from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { conditionText } from './program-filters.ts';
import { type Answer, defineResource, type Row } from './resource.ts';
import { decided } from './route-decisions.ts';

const CONDITION_TYPES = ['chat_id', 'thread_id', 'user_id', 'keyword', 'text', 'all', 'llm'] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

const ROUTING_ACTIONS = ['forward', 'copy', 'drop', 'hold'] as const;
export type RoutingAction = (typeof ROUTING_ACTIONS)[number];

/** After a crash between sending a message and recording it: send it again, or leave it out. */
const ROUTING_DELIVERIES = ['at_least_once', 'at_most_once'] as const;
export type RoutingDelivery = (typeof ROUTING_DELIVERIES)[number];

/** How many rules of a bot can be put in order. */
const MOST_RULES = 1_000;

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
const ACTION_NOTE =
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

const RULE: RoutingRuleResource = {
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

/** Why a rule would not act on a message: a closed list. */
const NO_MATCH_REASONS = [
  'bot_off',
  'disabled',
  'other_kind',
  'own_message',
  'condition',
  'dropped_before',
  'same_chat',
  'matched_before',
  'no_text',
  'not_chosen',
] as const;
export type NoMatchReason = (typeof NO_MATCH_REASONS)[number];

const triedRule = z
  .strictObject({
    route_id: z.int().describe('The rule.'),
    matches: z.boolean().describe('True if the rule would act on the message.'),
    action: z.enum(ROUTING_ACTIONS).describe(ACTION_NOTE),
    reason: z
      .enum(NO_MATCH_REASONS)
      .optional()
      .describe(
        'Why it would not. bot_off: the bot is disabled, or its `manage_enabled` is off. disabled: the rule is. other_kind: rules act on messages, posts and business messages only. own_message: a bot of this fleet wrote it. condition: it does not hold. dropped_before: an earlier rule drops the message. same_chat: the message would go to where it is. Of a rule with condition llm: matched_before: another rule matches, so the router is not asked. no_text: the message has no words, or is a command alone. not_chosen: no bot was chosen, see `decision`.',
      ),
    decision: z
      .strictObject(decided)
      .optional()
      .describe('Of a rule with condition llm that was asked: what the router decided.'),
  })
  .meta({ id: 'TriedRoute' });

const isMessageOrUpdate = (value: Record<string, unknown>): boolean =>
  'update_id' in value || (typeof value.chat === 'object' && value.chat !== null);

/** Inputs stand in the order of the form: the condition, what is done, and where. */
function inOrderOfForm<Of extends Partial<Record<keyof typeof routingRule.changeInputs, unknown>>>(inputs: Of): Of {
  const { source_bot_id, condition_type, condition_value, action } = inputs;
  return { source_bot_id, condition_type, condition_value, action, ...inputs };
}

const addInputs = inOrderOfForm(routingRule.addInputs);
const updateInputs = { id: ownId(), ...inOrderOfForm(routingRule.changeInputs) };

/** The bots that `candidate_bot_ids` names in any of its forms. */
function candidatesIn({ candidate_bot_ids: given }: Readonly<Record<string, unknown>>): readonly number[] {
  const read = nullable(ownIds(MAX_CANDIDATES)).safeParse(given);
  return read.success ? (read.data ?? []) : [];
}

export const routingRuleOperations = {
  listRoutingRules: defineOperation({
    method: 'GET',
    paths: ['/api/routes'],
    role: 'any',
    summary:
      'Lists the routing rules of a source bot or of a target bot, or finds some of all bots, in the order in which they run.',
    input: z.object({
      bot_id: ownId().optional().describe('The source bot. It may be left out if `target_bot_id` or `q` is given.'),
      target_bot_id: ownId()
        .optional()
        .describe('The bot that sends. Rules whose source bot the caller does not see are not listed.'),
      q: text({ min: 1, max: 256 })
        .optional()
        .describe('A part of the condition or of the description. Case does not matter.'),
      ...pagedInputs(),
    }),
    output: z.array(routingRule.answer),
    botInputs: ['bot_id', 'target_bot_id'],
    aliases: { source_bot_id: 'bot_id' },
    example: { input: { bot_id: 7 }, output: [RULE] },
  }),

  addRoutingRule: defineOperation({
    method: 'POST',
    audit: ['route_add'],
    paths: ['/api/routes/add'],
    role: 'admin',
    summary: 'Adds a routing rule.',
    description: `A rule is refused if its target is its source: the same bot and the same chat.

A rule with condition llm is asked when no other rule of the source bot matches a message. The router reads the descriptions of the
candidates and chooses one of them or none; a choice holds in its chat until 30 minutes pass without a message, or until \`/start\`.
With LLM_API_URL the text of messages (numbers, addresses and links masked) and the descriptions of the candidates go to that model;
without it a ranker by words decides here. A key that is limited to some bots must name \`candidate_bot_ids\`.`,
    input: z.object(addInputs),
    output: routingRule.answer,
    botInputs: ['source_bot_id', 'target_bot_id'],
    botsOf: candidatesIn,
    readOnlyFields: fieldsBeside(routingRule.answer, addInputs),
    example: {
      input: {
        source_bot_id: 7,
        target_bot_id: 9,
        condition_type: 'keyword',
        condition_value: 'refund',
        action: 'copy',
        target_chat_id: EXAMPLE_CHAT_ID,
        description: 'Refunds go to the accountants',
      },
      output: { ...RULE, hits: 0, last_hit_at: null },
    },
  }),

  updateRoutingRule: defineOperation({
    method: 'POST',
    audit: ['route_update'],
    paths: ['/api/routes/update'],
    role: 'admin',
    summary: 'Changes the given fields of a routing rule. Absent fields keep their value.',
    input: z.object(updateInputs),
    output: routingRule.answer,
    botInputs: ['source_bot_id', 'target_bot_id'],
    botsOf: candidatesIn,
    readOnlyFields: fieldsBeside(routingRule.answer, updateInputs),
    example: { input: { id: 5, enabled: false }, output: { ...RULE, enabled: false } },
  }),

  reorderRoutingRules: defineOperation({
    method: 'POST',
    audit: ['route_reorder'],
    paths: ['/api/routes/reorder'],
    role: 'admin',
    summary: 'Lets the routing rules of a bot run in another order.',
    description:
      'Without it, rules run in the order of their ids. A rule that is added later runs after them. The answer is 409 unless ' +
      'each rule of the bot is named once.',
    input: z.object({
      bot_id: botId(),
      ids: ownIds(MOST_RULES).describe('The ids of all rules of the bot, in the order in which they run.'),
    }),
    output: z.array(routingRule.answer),
    botInputs: ['bot_id'],
    errors: ['conflict'],
    example: { input: { bot_id: 7, ids: [5] }, output: [RULE] },
  }),

  tryRoutingRules: defineOperation({
    method: 'POST',
    audit: [],
    paths: ['/api/routes/try'],
    role: 'any',
    summary: 'Tells which rules of a bot would act on a message, in the order in which they run.',
    description: `Nothing is sent or changed. All rules of the bot are listed, also disabled ones.

A rule with condition llm asks the router, which counts as one of the bot's trials of a day (a tenth of LLM_CALLS_PER_BOT_DAY), and does not
remember the decision. A message is judged alone: of an album, rules act on all messages if one of them matches. A reply to a message that a rule sent
also goes back to its source, which is not shown here.`,
    input: z.object({
      bot_id: botId(),
      message: platformObject(
        isMessageOrUpdate,
        'must be a Message or an Update of the Bot API, of at most 32 levels',
      ).describe('A Message or an Update of the Bot API. Its text may have 4,096 characters.'),
    }),
    output: z.array(triedRule),
    botInputs: ['bot_id'],
    errors: ['too_many_requests'],
    example: {
      input: { bot_id: 7, message: { message_id: 1, chat: { id: 424242, type: 'private' }, text: 'A refund, please' } },
      output: [
        { route_id: 5, matches: true, action: 'copy' },
        { route_id: 6, matches: false, action: 'drop', reason: 'disabled' },
      ],
    },
  }),

  deleteRoutingRule: defineOperation({
    method: 'POST',
    audit: ['route_delete'],
    paths: ['/api/routes/delete'],
    role: 'admin',
    summary: 'Deletes a routing rule.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(routingRule.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 5 }, output: { ok: true } },
  }),
};
