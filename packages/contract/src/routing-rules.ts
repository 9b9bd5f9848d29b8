import { z } from 'zod';
import { EXAMPLE_CHAT_ID } from './examples.ts';
import { createdAtField, enabledField, okAnswer, ownIdField } from './fields.ts';
import { botId, flag, nullable, ownId, pagedInputs, platformId, platformObject, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { conditionText } from './program-filters.ts';

const CONDITION_TYPES = ['chat_id', 'user_id', 'keyword', 'text', 'all'] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

const ROUTING_ACTIONS = ['forward', 'copy', 'drop'] as const;
export type RoutingAction = (typeof ROUTING_ACTIONS)[number];

/** After a crash between sending a message and recording it: send it again, or leave it out. */
const ROUTING_DELIVERIES = ['at_least_once', 'at_most_once'] as const;
export type RoutingDelivery = (typeof ROUTING_DELIVERIES)[number];

const SOURCE_NOTE = 'The bot whose messages the rule is about.';
const CONDITION_TYPE_NOTE = 'What `condition_value` is compared with.';
const DELIVERY_NOTE =
  'What happens to a message if a worker crashes while it sends it. at_least_once: it may be sent twice. at_most_once: it may not be sent at all.';
const ACTION_NOTE =
  'forward: sends the message and shows where it came from. copy: sends it and does not show that. drop: keeps it from the backend.';

const routingRuleResource = z
  .strictObject({
    id: ownIdField,
    source_bot_id: z.int().describe(SOURCE_NOTE),
    target_bot_id: z.int().describe('The bot that sends.'),
    condition_type: z.enum(CONDITION_TYPES).describe(CONDITION_TYPE_NOTE),
    condition_value: z
      .string()
      .describe(
        'For chat_id: the id. For user_id: the id of the author, a user or the chat in whose name it was written. For keyword: a word or phrase. For text: a regular expression. For all: empty.',
      ),
    action: z.enum(ROUTING_ACTIONS).describe(ACTION_NOTE),
    target_chat_id: z
      .int()
      .optional()
      .describe('The chat that the messages are sent to. Absent only if the action is drop.'),
    enabled: enabledField,
    delivery: z.enum(ROUTING_DELIVERIES).describe(DELIVERY_NOTE),
    description: z.string().describe('A text for people.'),
    created_at: createdAtField,
  })
  .meta({ id: 'Route' });

export type RoutingRuleResource = z.infer<typeof routingRuleResource>;

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
        'Why it would not. bot_off: the bot is disabled, or its `manage_enabled` is off. disabled: the rule is. other_kind: rules act on messages, posts and business messages only. own_message: a bot of this fleet wrote it. condition: it does not hold. dropped_before: an earlier rule drops the message. same_chat: the message would go to where it is.',
      ),
  })
  .meta({ id: 'TriedRoute' });

const isMessageOrUpdate = (value: Record<string, unknown>): boolean =>
  'update_id' in value || (typeof value.chat === 'object' && value.chat !== null);

const sourceBotId = () => ownId().describe(SOURCE_NOTE);
const conditionType = () => z.enum(CONDITION_TYPES).describe(CONDITION_TYPE_NOTE);
/** An id in a condition may come as a number. */
const conditionValue = () =>
  z.preprocess(
    (value) => (Number.isSafeInteger(value) ? String(value) : value),
    conditionText().describe(
      'For chat_id: the id. For user_id: the id of the author, a user or the chat in whose name it was written. For keyword: a word or phrase; case does not matter. For text: a regular expression (RE2 syntax) that matches anywhere. For all: nothing.',
    ),
  );
const action = () => z.enum(ROUTING_ACTIONS).describe(ACTION_NOTE);
const enabled = () => flag().describe('True if the rule is in use.');
const delivery = () => z.enum(ROUTING_DELIVERIES).describe(DELIVERY_NOTE);
const description = () => text({ max: 4096 }).describe('A text for people.');

const targets = {
  target_bot_id: ownId().optional().describe('The bot that sends. Required unless the action is drop.'),
  target_chat_id: nullable(platformId())
    .optional()
    .describe('The chat to send to. Required unless the action is drop. 0: the chat that the message came from.'),
};

const addInputs = {
  source_bot_id: sourceBotId(),
  condition_type: conditionType(),
  condition_value: conditionValue().optional(),
  action: action(),
  ...targets,
  enabled: enabled().default(true),
  delivery: delivery().default('at_least_once'),
  description: description().default(''),
};

const updateInputs = {
  id: ownId(),
  source_bot_id: sourceBotId().optional(),
  condition_type: conditionType().optional(),
  condition_value: conditionValue().optional(),
  action: action().optional(),
  ...targets,
  enabled: enabled().optional(),
  delivery: delivery().optional(),
  description: description().optional(),
};

export const routingRuleOperations = {
  listRoutingRules: defineOperation({
    method: 'GET',
    paths: ['/api/routes'],
    role: 'any',
    summary: 'Lists the routing rules of a source bot or of a target bot, in the order in which they run.',
    input: z.object({
      bot_id: ownId().optional().describe('The source bot. It may be left out if `target_bot_id` is given.'),
      target_bot_id: ownId()
        .optional()
        .describe('The bot that sends. Rules whose source bot the caller does not see are not listed.'),
      ...pagedInputs(),
    }),
    output: z.array(routingRuleResource),
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
    description: 'A rule is refused if its target is its source: the same bot and the same chat.',
    input: z.object(addInputs),
    output: routingRuleResource,
    botInputs: ['source_bot_id', 'target_bot_id'],
    readOnlyFields: fieldsBeside(routingRuleResource, addInputs),
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
      output: RULE,
    },
  }),

  updateRoutingRule: defineOperation({
    method: 'POST',
    audit: ['route_update'],
    paths: ['/api/routes/update'],
    role: 'admin',
    summary: 'Changes the given fields of a routing rule. Absent fields keep their value.',
    input: z.object(updateInputs),
    output: routingRuleResource,
    botInputs: ['source_bot_id', 'target_bot_id'],
    readOnlyFields: fieldsBeside(routingRuleResource, updateInputs),
    example: { input: { id: 5, enabled: false }, output: { ...RULE, enabled: false } },
  }),

  tryRoutingRules: defineOperation({
    method: 'POST',
    audit: [],
    paths: ['/api/routes/try'],
    role: 'any',
    summary: 'Tells which rules of a bot would act on a message, in the order in which they run.',
    description: `Nothing is sent or changed. All rules of the bot are listed, also disabled ones.

A message is judged alone: of an album, rules act on all messages if one of them matches. A reply to a message that a rule sent
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
    readOnlyFields: fieldsBeside(routingRuleResource, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 5 }, output: { ok: true } },
  }),
};
