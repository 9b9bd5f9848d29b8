import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import { type ChangeRulesDeps, changeRules } from '../bots/change-rules.ts';
import { routingRuleStore } from './routing-rule-store.ts';

/** Deletes a rule. Throws 'not_found'. */
export async function deleteRoutingRule(deps: ChangeRulesDeps, id: number): Promise<void> {
  await changeRules(deps, async (db) => {
    const rules = routingRuleStore(db);
    const rule = await rules.lock(id);
    if (rule === null) throw new FlotillaError('not_found', 'Route not found');
    await rules.remove(id);
    return { result: undefined, botIds: [rule.sourceBotId, rule.targetBotId] };
  });
}
