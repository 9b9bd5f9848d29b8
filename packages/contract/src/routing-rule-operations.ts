import { z } from 'zod';
import { EXAMPLE_CHAT_ID } from './examples.ts';
import { okAnswer } from './fields.ts';
import { botId, jsonObject, nullable, ownId, ownIds, pagedInputs, platformObject, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { decided } from './route-decisions.ts';
import { ACTION_NOTE, MAX_CANDIDATES, MOST_RULES, ROUTING_ACTIONS, RULE, routingRule } from './routing-rules.ts';

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
    route_id: z.int().describe('The rule. 0: `rule`, which is not saved and replaces none.'),
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

const { source_bot_id: _sourceBotId, ...draftInputs } = addInputs;

const draftRule = jsonObject({
  id: ownId().optional().describe('The saved rule in whose place it stands. Absent: it runs after all others.'),
  ...draftInputs,
});

/** The bots that a rule names which is tried before it is saved. */
function botsOfDraft({ rule }: Readonly<Record<string, unknown>>): readonly number[] {
  const { target_bot_id: target, candidate_bot_ids: candidates } = draftRule.safeParse(rule).data ?? {};
  return [...(target ? [target] : []), ...(candidates ?? [])];
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

  showRoutingRule: defineOperation({
    method: 'GET',
    paths: ['/api/routes/show'],
    role: 'any',
    versioned: 'shown',
    summary: 'Shows a routing rule of a source bot that the caller sees.',
    input: z.object({ id: ownId() }),
    output: routingRule.answer,
    errors: ['not_found'],
    example: { input: { id: 5 }, output: RULE },
  }),

  addRoutingRule: defineOperation({
    method: 'POST',
    audit: ['route_add'],
    paths: ['/api/routes/add'],
    role: 'admin',
    versioned: 'shown',
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
    versioned: 'changed',
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
also goes back to its source, which is not shown here.

With \`rule\`, a rule is tried before it is saved, among those of the bot.`,
    input: z.object({
      bot_id: botId(),
      message: platformObject(
        isMessageOrUpdate,
        'must be a Message or an Update of the Bot API, of at most 32 levels',
      ).describe('A Message or an Update of the Bot API. Its text may have 4,096 characters.'),
      rule: draftRule
        .optional()
        .describe('A rule that is not saved, with the inputs of `POST /api/routes/add` but `source_bot_id`.'),
    }),
    output: z.array(triedRule),
    botInputs: ['bot_id'],
    botsOf: botsOfDraft,
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
    versioned: 'deleted',
    summary: 'Deletes a routing rule.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(routingRule.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 5 }, output: { ok: true } },
  }),
};
