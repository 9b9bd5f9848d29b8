import { type FaultDetail, FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { CHOSEN_BOT, SOURCE_CHAT, sendsMessages } from '../../fleet/bots/active-rule.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { chatOfCondition, readThreadPlace } from '../../fleet/bots/thread-place.ts';
import { compilePattern } from '../filters/compile-pattern.ts';
import type { RoutingRuleChanges, RoutingRuleContent } from './routing-rule.ts';

const HOLD_MINUTES = 60;

type RuleDirectory = Pick<BotDirectory, 'isOwnBot' | 'byId'>;

/** A requested rule with the fields that every rule must have. */
export type WantedRule = RoutingRuleChanges &
  Pick<RoutingRuleContent, 'source_bot_id' | 'condition_type' | 'action' | 'enabled' | 'delivery' | 'description'>;

/**
 * Fills in what the action and the condition leave open. Throws 'bad_request' naming every fault of the rule. Candidates that it
 * had `before` may be gone or without a description now, so that it can still be disabled. `within`: the path before that of a field.
 */
export function completeRule(
  directory: RuleDirectory,
  wanted: WantedRule,
  before: readonly number[] | null = null,
  within = '',
): RoutingRuleContent {
  const { source_bot_id, condition_type, action, enabled, delivery, description } = wanted;
  const condition_value = wanted.condition_value ?? '';
  const sends = sendsMessages(action);
  // Another bot of a rule that sends nothing would only matter when it is deleted: the rule would go with it.
  const target_bot_id = sends ? wanted.target_bot_id : source_bot_id;
  const candidate_bot_ids = target_bot_id === CHOSEN_BOT ? (wanted.candidate_bot_ids ?? null) : null;
  const target_chat_id = wanted.target_chat_id ?? null;
  const action_minutes = action === 'hold' ? (wanted.action_minutes ?? HOLD_MINUTES) : null;
  const rule = {
    source_bot_id,
    candidate_bot_ids,
    condition_type,
    condition_value,
    action,
    action_minutes,
    target_chat_id: action === 'hold' ? null : target_chat_id,
    enabled,
    delivery,
    description,
  };
  const faults = [
    ...conditionFaults(rule),
    ...routerFaults(directory, { ...wanted, target_bot_id }, before ?? []),
    ...(sends ? targetFaults(directory, { ...rule, target_bot_id }) : []),
  ].map(({ path, reason }) => ({ path: `${within}${path}`, reason }));
  if (faults.length === 0 && target_bot_id !== undefined) return { ...rule, target_bot_id };
  const sentence = faults.map(({ path, reason }) => `${path} ${reason}`).join('; ');
  throw new FlotillaError('bad_request', sentence, { details: faults });
}

type Condition = Pick<RoutingRuleContent, 'condition_type' | 'condition_value'>;

function conditionFaults({ condition_type, condition_value }: Condition): FaultDetail[] {
  const reason = reasonAgainst({ condition_type, condition_value });
  return reason === null ? [] : [{ path: 'condition_value', reason }];
}

function reasonAgainst({ condition_type, condition_value }: Condition): string | null {
  if (condition_type === 'all' || condition_type === 'llm') return null;
  if (condition_value.trim() === '') return `is required where condition_type is ${condition_type}`;
  switch (condition_type) {
    case 'keyword':
      return null;
    case 'text': {
      const pattern = compilePattern(condition_value);
      return pattern.outcome === 'refused' ? pattern.reason : null;
    }
    case 'thread_id':
      return readThreadPlace(condition_value) === null
        ? 'must be a chat and a topic, such as -1001234567890:120; the topic 0 is outside every topic'
        : null;
    default:
      return isId(condition_value) ? null : 'must be an id: an integer within ±(2^53-1)';
  }
}

function isId(text: string): boolean {
  return /^-?[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}

/** Faults of a rule that asks the router, and of one that names what only the router reads. */
function routerFaults(
  directory: RuleDirectory,
  { condition_type, action, source_bot_id, target_bot_id, candidate_bot_ids }: WantedRule,
  before: readonly number[],
): FaultDetail[] {
  const fault = (path: string, reason: string) => [{ path, reason }];
  if (condition_type !== 'llm') {
    return [
      ...(target_bot_id === CHOSEN_BOT ? fault('target_bot_id', 'may be 0 only where condition_type is llm') : []),
      ...(candidate_bot_ids ? fault('candidate_bot_ids', 'may be named only where condition_type is llm') : []),
    ];
  }
  const named = target_bot_id === CHOSEN_BOT ? (candidate_bot_ids ?? []) : [];
  const added = named.filter((id) => !before.includes(id));
  const unknown = added.filter((id) => directory.byId(id) === undefined);
  const silent = added.filter((id) => directory.byId(id)?.description.trim() === '');
  return [
    ...(!sendsMessages(action) ? fault('action', 'must be forward or copy where condition_type is llm') : []),
    ...(target_bot_id !== CHOSEN_BOT && candidate_bot_ids
      ? fault('candidate_bot_ids', 'may be named only where target_bot_id is 0')
      : []),
    ...(candidate_bot_ids?.length === 0 ? fault('candidate_bot_ids', 'must name a bot; null is all bots') : []),
    ...(named.includes(source_bot_id) ? fault('candidate_bot_ids', 'must not name the source bot') : []),
    ...(unknown.length > 0 ? fault('candidate_bot_ids', `names bots that do not exist: ${unknown.join(', ')}`) : []),
    ...(silent.length > 0
      ? fault('candidate_bot_ids', `names bots without a description, which is what is read: ${silent.join(', ')}`)
      : []),
  ];
}

type Targeted = Omit<RoutingRuleContent, 'target_bot_id'> & { target_bot_id: number | undefined };

function targetFaults(directory: Pick<BotDirectory, 'isOwnBot'>, rule: Targeted): FaultDetail[] {
  const missing = (path: string) => ({ path, reason: 'is required unless the action is drop or hold' });
  const isOwnSource =
    rule.target_bot_id === rule.source_bot_id &&
    (rule.target_chat_id === SOURCE_CHAT || chatOfCondition(rule) === rule.target_chat_id);
  return [
    ...(rule.target_bot_id === undefined ? [missing('target_bot_id')] : []),
    ...(rule.target_chat_id === null ? [missing('target_chat_id')] : []),
    ...(isOwnSource ? [{ path: 'target_chat_id', reason: 'is the source of this rule' }] : []),
    ...impossibleChat(directory, rule.target_chat_id),
  ];
}

/** Ids of the platform have at most 52 bits. */
const LARGEST_ID = 2 ** 52;

/** Faults of a chat that no bot can write to: it is another bot, or has an id that the platform never gives. */
function impossibleChat(directory: Pick<BotDirectory, 'isOwnBot'>, chatId: number | null): FaultDetail[] {
  if (chatId === null) return [];
  if (Math.abs(chatId) > LARGEST_ID) return [{ path: 'target_chat_id', reason: 'cannot be the id of a chat' }];
  if (!directory.isOwnBot(chatId)) return [];
  return [{ path: 'target_chat_id', reason: 'is a bot, and bots cannot write to bots' }];
}
