import { OK } from '@flotilla/contract/fields.ts';
import { answerOf, settable } from '@flotilla/contract/resource.ts';
import type { routingRuleOperations } from '@flotilla/contract/routing-rule-operations.ts';
import { type RoutingRuleResource, routingRule } from '@flotilla/contract/routing-rules.ts';
import { decisionFor } from '@flotilla/domain/delivery/router/show-decision.ts';
import { addRoutingRule } from '@flotilla/domain/delivery/routing-rules/add-routing-rule.ts';
import { deleteRoutingRule } from '@flotilla/domain/delivery/routing-rules/delete-routing-rule.ts';
import { nameRules } from '@flotilla/domain/delivery/routing-rules/name-rules.ts';
import { reorderRoutingRules } from '@flotilla/domain/delivery/routing-rules/reorder-routing-rules.ts';
import type { RoutingRule } from '@flotilla/domain/delivery/routing-rules/routing-rule.ts';
import { routingRuleStore } from '@flotilla/domain/delivery/routing-rules/routing-rule-store.ts';
import { shownBot } from '@flotilla/domain/delivery/routing-rules/shown-bots.ts';
import { tryRoutingRules } from '@flotilla/domain/delivery/routing-rules/try-routing-rules.ts';
import { updateRoutingRule } from '@flotilla/domain/delivery/routing-rules/update-routing-rule.ts';
import { CHOSEN_BOT } from '@flotilla/domain/fleet/bots/active-rule.ts';
import { type Caller, seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import { matchOf, tagAnswer, type Version } from '../http/etag.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

export const routingRuleHandlers: Handlers<typeof routingRuleOperations> = {
  async listRoutingRules(context, { input, caller }) {
    const { limit, offset } = input;
    const [after = null] = decodeCursor(input.before, ['id']) ?? [];
    const { bot_id: source_bot_id, target_bot_id, q } = input;
    if (source_bot_id === undefined && target_bot_id === undefined && q === undefined) {
      throw refusedInput('bot_id', 'is required unless target_bot_id or q is given');
    }
    requireBotsOfRule(context, { source_bot_id, target_bot_id });
    const query = { source_bot_id, target_bot_id, q };
    const rules = routingRuleStore(context.db);
    const [rows, total] = await Promise.all([
      rules.list(caller.scope, query, { limit: limit + 1, offset, after }),
      rules.count(caller.scope, query),
    ]);
    const page = cutPage(rows, limit, total, ({ position }) => [position]);
    return { ...page, rows: await presentNamed(context, caller, page.rows) };
  },

  showRoutingRule: {
    findBots: async ({ db }, id) => {
      const rule = await routingRuleStore(db).find(id);
      return rule === null ? [] : [rule.source_bot_id];
    },
    async handle(context, { input, ...call }) {
      const rule = await routingRuleStore(context.db).find(input.id);
      if (rule === null) throw new FlotillaError('not_found', 'Route not found');
      return presentOne(context, call, rule);
    },
  },

  async addRoutingRule(context, { input, by, ...call }) {
    requireBotsOfRule(context, input);
    requireNamedCandidates(call.caller, input.target_bot_id, input.candidate_bot_ids ?? null);
    return presentOne(context, call, await addRoutingRule(context, by, input));
  },

  updateRoutingRule: {
    findBots: findBotsOfRule,
    async handle(context, { input, by, ...call }) {
      const { id, ...changes } = input;
      requireBotsOfRule(context, changes);
      const before = await routingRuleStore(context.db).find(id);
      const { target_bot_id: target = before?.target_bot_id, candidate_bot_ids: named = before?.candidate_bot_ids } =
        input;
      requireNamedCandidates(call.caller, target, named ?? null);
      const match = matchOf(context, call, versionOf);
      return presentOne(context, call, await updateRoutingRule(context, by, id, changes, match));
    },
  },

  async reorderRoutingRules(context, { input, by, caller }) {
    const sourceBotId = requireBot(context, input.bot_id).id;
    return presentNamed(context, caller, await reorderRoutingRules(context, by, sourceBotId, input.ids));
  },

  async tryRoutingRules(context, { input, caller, whileAllowed }) {
    const bot = requireBot(context, input.bot_id);
    const { message, rule = null } = input;
    if (rule !== null) requireDraftable(context, caller, rule);
    const draft = rule === null ? null : { ...rule, source_bot_id: bot.id };
    const tried = await whileAllowed((signal) =>
      tryRoutingRules(context, bot, { message, draft }, { scope: caller.scope, accountId: caller.account.id, signal }),
    );
    return tried.map(({ rule, reason, decision }) => ({
      route_id: rule.id,
      matches: reason === null,
      action: rule.action,
      ...withoutNulls({ reason, decision: decision === null ? null : decisionFor(caller, rule, decision) }),
    }));
  },

  deleteRoutingRule: {
    findBots: findBotsOfRule,
    async handle(context, { input, by, request }) {
      await deleteRoutingRule(context, by, input.id, matchOf(context, { request }, versionOf));
      return OK;
    },
  },
};

type Draft = NonNullable<Call<typeof routingRuleOperations.tryRoutingRules.input>['input']['rule']>;

/** It may try only through bots that the caller sees. */
function requireDraftable(context: Context, caller: Caller, { target_bot_id, candidate_bot_ids }: Draft): void {
  requireBotsOfRule(context, { target_bot_id });
  requireNamedCandidates(caller, target_bot_id, candidate_bot_ids ?? null);
}

/** Throws 'not_found' for a named bot that does not exist. */
function requireBotsOfRule(
  context: Context,
  input: { source_bot_id?: number | undefined; target_bot_id?: number | undefined },
): void {
  for (const id of [input.source_bot_id, input.target_bot_id]) if (id) requireBot(context, id);
}

/** The router of all bots would send through bots that a limited key does not have. */
function requireNamedCandidates(caller: Caller, targetBotId: number | undefined, named: number[] | null): void {
  if (caller.scope.bots === 'all' || targetBotId !== CHOSEN_BOT || named !== null) return;
  throw refusedInput('candidate_bot_ids', 'is required: your credential is limited to some bots');
}

/** The bots that a rule names; a caller who changes the rule must see them all. */
async function findBotsOfRule({ db }: Context, id: number): Promise<number[]> {
  const rule = await routingRuleStore(db).find(id);
  if (rule === null) return [];
  return [rule.source_bot_id, rule.target_bot_id, ...(rule.candidate_bot_ids ?? [])].filter(
    (bot) => bot !== CHOSEN_BOT,
  );
}

function versionOf(rule: RoutingRule): Version {
  return { kind: 'rule', id: rule.id, fields: settable(routingRule, rule) };
}

async function presentOne(
  context: Context,
  { caller, response }: Pick<Call<z.ZodObject>, 'caller' | 'response'>,
  rule: RoutingRule,
): Promise<RoutingRuleResource> {
  tagAnswer(context, { response }, versionOf(rule));
  const [named] = await presentNamed(context, caller, [rule]);
  return named!;
}

async function presentNamed(
  context: Context,
  caller: Caller,
  rules: readonly RoutingRule[],
): Promise<RoutingRuleResource[]> {
  const names = await nameRules(context, rules);
  return rules.map((rule) => {
    const { condition = null, targetChat = null } = names.get(rule.id) ?? {};
    const isChosen = rule.target_bot_id === CHOSEN_BOT;
    const target_bot_id = isChosen ? CHOSEN_BOT : shownBot(caller, rule.target_bot_id);
    const target = context.directory.byId(target_bot_id);
    return answerOf(routingRule, {
      ...rule,
      target_bot_id,
      candidate_bot_ids: isChosen ? (rule.candidate_bot_ids?.filter((id) => seesBot(caller, id)) ?? null) : undefined,
      condition_name: condition,
      target_bot_name: target?.name,
      target_chat_title: target && targetChat,
    });
  });
}
