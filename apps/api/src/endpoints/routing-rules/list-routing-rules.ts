import { listRoutingRules } from '@flotilla/contract/operations/routing-rules.ts';
import { routingRuleStore } from '@flotilla/domain/routing-rules/routing-rule-store.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor, MAX_ROWS } from '../../http/page.ts';
import { requireBot } from '../bots/require-bot.ts';
import { presentRoutingRule } from './present-routing-rule.ts';

export const listRoutingRulesEndpoint = defineListEndpoint(listRoutingRules, async (context, { input }) => {
  const { limit = MAX_ROWS, offset } = input;
  const [afterId = null] = decodeCursor(input.before, ['number']) ?? [];
  const bot = requireBot(context, input.bot_id);
  const rules = routingRuleStore(context.db);
  const [rows, total] = await Promise.all([
    rules.list(bot.id, { limit: limit + 1, offset, afterId }),
    rules.count(bot.id),
  ]);
  return cutPage(rows.map(presentRoutingRule), limit, total, (rule) => [rule.id]);
});
