import { z } from 'zod';
import { flag, nullable, ownId, platformId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { unpagedInputs } from '../paging.ts';
import { okAnswer } from '../resources/answers.ts';
import {
  CONDITION_TYPES,
  ROUTING_ACTIONS,
  ROUTING_DELIVERIES,
  routingRuleResource,
} from '../resources/routing-rule.ts';

/** An id in a condition may come as a number. */
const conditionValue = z.preprocess(
  (value) => (Number.isSafeInteger(value) ? String(value) : value),
  text({ max: 500 }).describe(
    'chat_id, user_id: that id. keyword: a word or phrase, in any case. text: a regular expression (RE2 syntax, found anywhere). all: nothing.',
  ),
);

const fieldsOfRule = Object.keys(routingRuleResource.shape);

export const listRoutingRules = defineOperation({
  name: 'listRoutingRules',
  method: 'GET',
  paths: ['/api/routes'],
  role: 'any',
  summary: 'The routing rules of a source bot, or those that send by a target bot, in the order they run.',
  input: z.object({
    bot_id: ownId().optional().describe('The source bot; it may be left out where a target bot is named.'),
    target_bot_id: ownId()
      .optional()
      .describe('The bot that sends. Of rules whose source the caller does not see none is listed.'),
    ...unpagedInputs(),
  }),
  output: z.array(routingRuleResource),
  botInputs: ['bot_id', 'target_bot_id'],
  aliases: { source_bot_id: 'bot_id' },
});

const targets = {
  target_bot_id: ownId().optional().describe('Required unless the action is drop.'),
  target_chat_id: nullable(platformId())
    .optional()
    .describe('Required unless the action is drop. 0: the chat that the message came from.'),
};

const addInputs = {
  source_bot_id: ownId(),
  condition_type: z.enum(CONDITION_TYPES),
  condition_value: conditionValue.optional(),
  action: z.enum(ROUTING_ACTIONS),
  ...targets,
  enabled: flag().default(true),
  delivery: z.enum(ROUTING_DELIVERIES).default('at_least_once'),
  description: text({ max: 4096 }).default(''),
};

export const addRoutingRule = defineOperation({
  name: 'addRoutingRule',
  method: 'POST',
  audit: ['route_add'],
  paths: ['/api/routes/add'],
  role: 'admin',
  summary: 'Adds a routing rule.',
  input: z.object(addInputs),
  output: routingRuleResource,
  botInputs: ['source_bot_id', 'target_bot_id'],
  readOnlyFields: fieldsOfRule.filter((field) => !(field in addInputs)),
});

const updateInputs = {
  id: ownId(),
  source_bot_id: ownId().optional(),
  condition_type: z.enum(CONDITION_TYPES).optional(),
  condition_value: conditionValue.optional(),
  action: z.enum(ROUTING_ACTIONS).optional(),
  ...targets,
  enabled: flag().optional(),
  delivery: z.enum(ROUTING_DELIVERIES).optional(),
  description: text({ max: 4096 }).optional(),
};

export const updateRoutingRule = defineOperation({
  name: 'updateRoutingRule',
  method: 'POST',
  audit: ['route_update'],
  paths: ['/api/routes/update'],
  role: 'admin',
  summary: 'Changes what is named; absent fields keep their value.',
  input: z.object(updateInputs),
  output: routingRuleResource,
  botInputs: ['source_bot_id', 'target_bot_id'],
  readOnlyFields: fieldsOfRule.filter((field) => !(field in updateInputs)),
});

export const deleteRoutingRule = defineOperation({
  name: 'deleteRoutingRule',
  method: 'POST',
  audit: ['route_delete'],
  paths: ['/api/routes/delete'],
  role: 'admin',
  summary: 'Deletes a routing rule.',
  input: z.object({ id: ownId() }),
  output: okAnswer,
  readOnlyFields: fieldsOfRule.filter((field) => field !== 'id'),
});
