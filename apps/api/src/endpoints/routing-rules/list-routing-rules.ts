import { listRoutingRules } from '@flotilla/contract/operations/routing-rules.ts';
import { routingRuleStore } from '@flotilla/domain/routing-rules/routing-rule-store.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor, MAX_ROWS } from '../../http/page.ts';
import { requireBotsOfRule } from './bots-of-rule.ts';
import { presentRoutingRule } from './present-routing-rule.ts';

export const listRoutingRulesEndpoint = defineListEndpoint(listRoutingRules, async (context, { input, caller }) => {
  const { limit = MAX_ROWS, offset } = input;
  const [afterId = null] = decodeCursor(input.before, ['number']) ?? [];
  const { bot_id: sourceBotId, target_bot_id: targetBotId } = input;
  if (sourceBotId === undefined && targetBotId === undefined) {
    throw refusedInput('bot_id', 'is required unless target_bot_id is given');
  }
  requireBotsOfRule(context, { source_bot_id: sourceBotId, target_bot_id: targetBotId });
  const query = { sourceBotId, targetBotId, sources: caller.bots };
  const rules = routingRuleStore(context.db);
  const [rows, total] = await Promise.all([
    rules.list(query, { limit: limit + 1, offset, afterId }),
    rules.count(query),
  ]);
  return cutPage(rows.map(presentRoutingRule), limit, total, (rule) => [rule.id]);
});
