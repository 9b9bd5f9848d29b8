import { deleteRoutingRule as operation } from '@flotilla/contract/operations/routing-rules.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { deleteRoutingRule } from '@flotilla/domain/routing-rules/delete-routing-rule.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { findBotsOfRule } from './bots-of-rule.ts';

export const deleteRoutingRuleEndpoint = defineEndpoint(
  operation,
  async (context, { input, by }) => {
    await deleteRoutingRule(context, by, input.id);
    return OK;
  },
  findBotsOfRule,
);
