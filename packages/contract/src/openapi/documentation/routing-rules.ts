import {
  addRoutingRule,
  deleteRoutingRule,
  listRoutingRules,
  updateRoutingRule,
} from '../../operations/routing-rules.ts';
import type { RoutingRuleResource } from '../../resources/routing-rule.ts';
import { documentOperation } from '../document-operation.ts';
import { CHAT_ID } from './resource-examples.ts';

const RULE: RoutingRuleResource = {
  id: 5,
  source_bot_id: 7,
  target_bot_id: 9,
  condition_type: 'keyword',
  condition_value: 'refund',
  action: 'copy',
  target_chat_id: CHAT_ID,
  enabled: true,
  delivery: 'at_least_once',
  description: 'Refunds go to the accountants',
  created_at: '2026-01-02T10:30:00.000Z',
};

export const routingRulesDocumentation = [
  documentOperation(listRoutingRules, { example: { input: { bot_id: 7 }, output: [RULE] } }),
  documentOperation(addRoutingRule, {
    description: 'A rule whose target is its own source, the same bot and the same chat, is refused.',
    example: {
      input: {
        source_bot_id: 7,
        target_bot_id: 9,
        condition_type: 'keyword',
        condition_value: 'refund',
        action: 'copy',
        target_chat_id: CHAT_ID,
        description: 'Refunds go to the accountants',
      },
      output: RULE,
    },
  }),
  documentOperation(updateRoutingRule, {
    example: { input: { id: 5, enabled: false }, output: { ...RULE, enabled: false } },
  }),
  documentOperation(deleteRoutingRule, { errors: ['not_found'], example: { input: { id: 5 }, output: { ok: true } } }),
];
