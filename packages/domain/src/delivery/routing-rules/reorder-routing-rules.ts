import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import { type ChangeRulesDeps, changeRules } from '../../fleet/bots/change-rules.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { describeChanges } from '../../people/audit/describe-changes.ts';
import type { RoutingRule } from './routing-rule.ts';
import { routingRuleStore } from './routing-rule-store.ts';

/**
 * Lets the rules of a bot run in the given order. Throws 'conflict' unless each of its rules is named once: others may have
 * added or deleted some meanwhile.
 */
export async function reorderRoutingRules(
  deps: ChangeRulesDeps,
  by: Actor,
  sourceBotId: number,
  ids: readonly number[],
): Promise<RoutingRule[]> {
  return changeRules(deps, by, async (db) => {
    await botStore(db).lockAll([sourceBotId]);
    const rules = routingRuleStore(db);
    const before = await rules.lockOfBot(sourceBotId);
    const byId = new Map(before.map((rule) => [rule.id, rule]));
    if (ids.length !== before.length || new Set(ids).size !== ids.length || !ids.every((id) => byId.has(id))) {
      throw new FlotillaError('conflict', 'The ids must be those of all routes of the bot, each once');
    }
    const ordered: RoutingRule[] = [];
    for (const [at, { position }] of before.entries()) {
      const rule = byId.get(ids[at]!)!;
      if (rule.position !== position) await rules.place(rule.id, position);
      ordered.push({ ...rule, position });
    }
    const details = describeChanges({ order: before.map(({ id }) => id) }, { order: [...ids] });
    const audited = { action: 'route_reorder' as const, bot_id: sourceBotId, details };
    return { result: ordered, botIds: [sourceBotId], audited };
  });
}
