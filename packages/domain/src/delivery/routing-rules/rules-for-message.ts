import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { ActiveRule } from '../../fleet/bots/active-rule.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { namesBot } from '../router/candidate.ts';
import { type Choice, chooseBot } from '../router/choose-bot.ts';
import { routableMessage } from '../router/routable-message.ts';
import type { RoutingProgress } from './destination.ts';
import { choiceIn } from './find-destinations.ts';
import { actingRules, routerRules } from './matching-rules.ts';
import type { RoutingDeps } from './routing-deps.ts';

/**
 * The rules that act on a message: those whose conditions hold, or else the one whose target the router chooses. The choice is
 * kept in `progress`, so that a retry does not ask again. 'aborted' when the signal aborts, 'busy' when the router has no room to ask now. Rejects
 * when Redis is away.
 */
export async function rulesForMessage(
  deps: RoutingDeps,
  bot: Bot,
  { kind, messages }: { kind: string; messages: Fields[] },
  progress: RoutingProgress,
  signal: AbortSignal,
): Promise<ActiveRule[] | 'aborted' | 'busy'> {
  const candidates = routerRules(bot, kind, messages);
  if (candidates.length === 0) return actingRules(bot, kind, messages);
  const known = chosenBefore(progress);
  const choice =
    known === undefined ? await chooseBot(deps, bot, candidates, routableMessage(messages), signal) : known;
  if (choice === 'aborted' || choice === 'busy') return choice;
  progress.chosen = choice;
  // The rule may have changed since: a bot that was taken from it sends nothing more.
  return candidates.flatMap((rule) =>
    choice?.ruleId === rule.id && namesBot(bot, rule, choice.targetBotId)
      ? [{ ...rule, target_bot_id: choice.targetBotId }]
      : [],
  );
}

/** The choice of an earlier try; that of a redriven message is in the name of the destination. undefined: not asked yet. */
function chosenBefore({ chosen, only = [] }: RoutingProgress): Choice | null | undefined {
  return chosen !== undefined ? chosen : only.map(choiceIn).find((choice) => choice !== undefined);
}
