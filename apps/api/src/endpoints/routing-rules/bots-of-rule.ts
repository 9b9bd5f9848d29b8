import { routingRuleStore } from '@flotilla/domain/routing-rules/routing-rule-store.ts';
import type { Context } from '../../context.ts';
import { requireBot } from '../bots/require-bot.ts';

/** Throws 'not_found' for a bot that is named and not there. */
export function requireBotsOfRule(
  context: Context,
  input: { source_bot_id?: number | undefined; target_bot_id?: number | undefined },
): void {
  for (const id of [input.source_bot_id, input.target_bot_id]) if (id !== undefined) requireBot(context, id);
}

/** The bots of a rule, both of which its reader must see to change it. */
export async function findBotsOfRule({ db }: Context, id: number): Promise<number[]> {
  const rule = await routingRuleStore(db).find(id);
  return rule === null ? [] : [rule.sourceBotId, rule.targetBotId];
}
