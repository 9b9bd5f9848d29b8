import { createHash } from 'node:crypto';
import type { RouteDecision } from '@flotilla/contract/route-decisions.ts';
import { CHOSEN_BOT } from '../../fleet/bots/active-rule.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { type Caller, seesBot } from '../../people/accounts/caller.ts';
import { shownBot } from '../routing-rules/shown-bots.ts';
import type { CandidateRule } from './candidate.ts';

/** '' if the reason is in our own words, else which bots it may speak of (`aboutBots`). Decisions of older releases have none. */
type About = { about?: string };

/** A decision as it is kept. */
export type KeptDecision = RouteDecision & About;

const UNSEEN_REASON = 'it is about bots that you may not see';

/** Changes whenever a rule names other bots. */
export function aboutBots(rule: CandidateRule): string {
  return createHash('sha256')
    .update(JSON.stringify(namedBy(rule)))
    .digest('base64url')
    .slice(0, 12);
}

/** A decision as a caller may see it: without bots that the caller does not see, and without words about these. */
export function decisionFor<Decision extends Pick<RouteDecision, 'target_bot_id' | 'reason'>>(
  caller: Caller,
  rule: CandidateRule | undefined,
  { about, ...decision }: Decision & About,
): Omit<Decision, 'about'> {
  const { target_bot_id: target, reason } = decision;
  return {
    ...decision,
    target_bot_id: target === null ? null : shownBot(caller, target),
    reason: about === '' || seesAllOf(caller, rule, about) ? reason : UNSEEN_REASON,
  };
}

/** The same for a decision of this bot that was kept. */
export function keptDecisionFor<Decision extends KeptDecision>(caller: Caller, bot: Bot, decision: Decision) {
  const rule = bot.rules.find(({ id }) => id === decision.route_id);
  return decisionFor(caller, rule, decision);
}

function seesAllOf(caller: Caller, rule: CandidateRule | undefined, about: string | undefined): boolean {
  if (caller.scope.bots === 'all') return true;
  // The rule may have named other bots then.
  if (rule === undefined || about !== aboutBots(rule)) return false;
  return namedBy(rule)?.every((id) => seesBot(caller, id)) ?? false;
}

/** null: any bot. */
function namedBy({ target_bot_id, candidate_bot_ids }: CandidateRule): number[] | null {
  return target_bot_id === CHOSEN_BOT ? (candidate_bot_ids ?? null) : [target_bot_id];
}
