import type { RoutingRuleResource } from '@flotilla/contract/routing-rules.ts';
import type { ReactNode } from 'react';
import { titleOf } from '../../parts/chat-name.tsx';
import { OUTSIDE_TOPICS, placeIn, sendsMessages } from './rule-draft.ts';
import { useRulesWords } from './rules-words.ts';
import '../../parts/chips.css';

type Rule = RoutingRuleResource;

/** A rule in one line: its condition, and what it does. */
export function RuleText({ rule }: { rule: Rule }): ReactNode {
  const words = useRulesWords();
  return (
    <>
      {rule.condition_type === 'llm' && <span className="chip fallback">{words.fallback}</span>}{' '}
      <bdi>{useCondition(rule)}</bdi> <span aria-hidden="true">→</span> <RuleAction rule={rule} />
    </>
  );
}

/** The condition of a rule in words. */
export function useCondition(rule: Rule): string {
  const words = useRulesWords();
  const { condition_type: type, condition_name: name, condition_value: value } = rule;
  const named = name === undefined ? value : `\u2068${name}\u2069`;
  return isOutsideTopics(rule)
    ? words.outsideTopics(name === undefined ? placeIn(value).chat : named)
    : words.conditions[type](named);
}

/** Messages outside every topic are in a chat, and have no topic with a name. */
function isOutsideTopics({ condition_type: type, condition_value: value }: Rule): boolean {
  return type === 'thread_id' && placeIn(value).thread === OUTSIDE_TOPICS;
}

function RuleAction({ rule }: { rule: Rule }): ReactNode {
  const words = useRulesWords();
  const isChosen = rule.target_bot_id === 0;
  const chatId = rule.target_chat_id ?? 0;
  const bot = rule.target_bot_name ?? `#${rule.target_bot_id}`;
  return (
    <>
      <b title={words.actionHints[rule.action]}>{words.actions[rule.action]}</b>{' '}
      {rule.action === 'hold' && <span className="muted">{words.minutes(rule.action_minutes ?? 60)}</span>}
      {sendsMessages(rule.action) && (
        <>
          {chatId === 0 ? words.sameChat : words.to(titleOf({ id: chatId, title: rule.target_chat_title }))}{' '}
          <span className="muted">
            {isChosen ? words.byChosen(rule.candidate_bot_ids?.length ?? null) : <ByBot name={bot} />}
            {rule.delivery === 'at_most_once' && `, ${words.atMostOnce}`}
          </span>
        </>
      )}
    </>
  );
}

function ByBot({ name }: { name: string }): ReactNode {
  const words = useRulesWords();
  return (
    <>
      {words.by} <bdi>{name}</bdi>
    </>
  );
}
