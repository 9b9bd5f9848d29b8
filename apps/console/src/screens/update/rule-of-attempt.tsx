import type { RoutingRuleResource } from '@flotilla/contract/routing-rules.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Answer, call } from '../../call.ts';
import { Decided } from '../rules/decisions.tsx';
import { useRulesWords } from '../rules/rules-words.ts';

type Attempt = Pick<Answer<'listDeliveryAttempts'>[number], 'at' | 'chat_id' | 'destination'>;

/** As `destination` of an attempt names it. */
const RULE = /^rule (\d+)(, bot \d+)?$/;
const DECISIONS = 500;
/** A decision comes before its attempts, which may wait for the pace of the chat. */
const DECIDED_WITHIN_MS = 60_000;

/** The rule that took a message, in the words of the list of rules, and what the router decided about it. */
export function RuleOfAttempt({ botId, attempt }: { botId: number; attempt: Attempt }): ReactNode {
  const [, id, ofRouter] = RULE.exec(attempt.destination ?? '') ?? [];
  const rules = useQuery({
    queryKey: ['rules', botId],
    queryFn: ({ signal }) => call('listRoutingRules', { bot_id: botId }, signal),
    enabled: id !== undefined,
  });
  const rule = rules.data?.find((one) => String(one.id) === id);
  if (rule === undefined) return null;
  return (
    <p className="rule-of-attempt muted">
      <Link to="/bots/$id/rules" params={{ id: String(botId) }}>
        <RuleText rule={rule} />
      </Link>
      {ofRouter && <DecisionOf botId={botId} rule={rule} attempt={attempt} />}
    </p>
  );
}

function RuleText({ rule }: { rule: RoutingRuleResource }): ReactNode {
  const { conditions, actions } = useRulesWords();
  const { condition_type: type, condition_name: name, condition_value: value } = rule;
  return (
    <bdi>
      {conditions[type](name === undefined ? value : `\u2068${name}\u2069`)} → {actions[rule.action]}
    </bdi>
  );
}

function DecisionOf(of: { botId: number; rule: RoutingRuleResource; attempt: Attempt }): ReactNode {
  const { botId, rule, attempt } = of;
  const decisions = useQuery({
    queryKey: ['decisions', botId, 'all'],
    queryFn: ({ signal }) => call('listRouteDecisions', { bot_id: botId, limit: DECISIONS }, signal),
  });
  const aheadMs = (at: string) => Date.parse(attempt.at) - Date.parse(at);
  // The newest first.
  const decision = decisions.data?.find(
    ({ route_id: id, chat_id: chat, at }) =>
      id === rule.id && chat === attempt.chat_id && aheadMs(at) >= 0 && aheadMs(at) < DECIDED_WITHIN_MS,
  );
  return decision ? <Decided decision={decision} sticky={decision.sticky} /> : null;
}
