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
  Pick<RoutingRuleContent, 'sourceBotId' | 'conditionType' | 'action' | 'enabled' | 'delivery' | 'description'>;

/**
 * Fills in what the action and the condition leave open. Throws 'bad_request' naming every fault of the rule. Candidates that it
 * had `before` may be gone or without a description now, so that it can still be disabled.
 */
export function completeRule(
  directory: RuleDirectory,
  wanted: WantedRule,
  before: readonly number[] | null = null,
): RoutingRuleContent {
  const { sourceBotId, conditionType, action, enabled, delivery, description } = wanted;
  const conditionValue = wanted.conditionValue ?? '';
  const sends = sendsMessages(action);
  // Another bot of a rule that sends nothing would only matter when it is deleted: the rule would go with it.
  const targetBotId = sends ? wanted.targetBotId : sourceBotId;
  const candidateBotIds = targetBotId === CHOSEN_BOT ? (wanted.candidateBotIds ?? null) : null;
  const targetChatId = wanted.targetChatId ?? null;
  const actionMinutes = action === 'hold' ? (wanted.actionMinutes ?? HOLD_MINUTES) : null;
  const rule = {
    sourceBotId,
    candidateBotIds,
    conditionType,
    conditionValue,
    action,
    actionMinutes,
    targetChatId: action === 'hold' ? null : targetChatId,
    enabled,
    delivery,
    description,
  };
  const faults = [
    ...conditionFaults(rule),
    ...routerFaults(directory, { ...wanted, targetBotId }, before ?? []),
    ...(sends ? targetFaults(directory, { ...rule, targetBotId }) : []),
  ];
  if (faults.length === 0 && targetBotId !== undefined) return { ...rule, targetBotId };
  const sentence = faults.map(({ path, reason }) => `${path} ${reason}`).join('; ');
  throw new FlotillaError('bad_request', sentence, { details: faults });
}

type Condition = Pick<RoutingRuleContent, 'conditionType' | 'conditionValue'>;

function conditionFaults({ conditionType, conditionValue }: Condition): FaultDetail[] {
  const reason = reasonAgainst({ conditionType, conditionValue });
  return reason === null ? [] : [{ path: 'condition_value', reason }];
}

function reasonAgainst({ conditionType, conditionValue }: Condition): string | null {
  if (conditionType === 'all' || conditionType === 'llm') return null;
  if (conditionValue.trim() === '') return `is required where condition_type is ${conditionType}`;
  switch (conditionType) {
    case 'keyword':
      return null;
    case 'text': {
      const pattern = compilePattern(conditionValue);
      return pattern.outcome === 'refused' ? pattern.reason : null;
    }
    case 'thread_id':
      return readThreadPlace(conditionValue) === null
        ? 'must be a chat and a topic, such as -1001234567890:120; the topic 0 is outside every topic'
        : null;
    default:
      return isId(conditionValue) ? null : 'must be an id: an integer within ±(2^53-1)';
  }
}

function isId(text: string): boolean {
  return /^-?[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}

/** Faults of a rule that asks the router, and of one that names what only the router reads. */
function routerFaults(
  directory: RuleDirectory,
  { conditionType, action, sourceBotId, targetBotId, candidateBotIds }: WantedRule,
  before: readonly number[],
): FaultDetail[] {
  const fault = (path: string, reason: string) => [{ path, reason }];
  if (conditionType !== 'llm') {
    return [
      ...(targetBotId === CHOSEN_BOT ? fault('target_bot_id', 'may be 0 only where condition_type is llm') : []),
      ...(candidateBotIds ? fault('candidate_bot_ids', 'may be named only where condition_type is llm') : []),
    ];
  }
  const named = targetBotId === CHOSEN_BOT ? (candidateBotIds ?? []) : [];
  const added = named.filter((id) => !before.includes(id));
  const unknown = added.filter((id) => directory.byId(id) === undefined);
  const silent = added.filter((id) => directory.byId(id)?.description.trim() === '');
  return [
    ...(!sendsMessages(action) ? fault('action', 'must be forward or copy where condition_type is llm') : []),
    ...(targetBotId !== CHOSEN_BOT && candidateBotIds
      ? fault('candidate_bot_ids', 'may be named only where target_bot_id is 0')
      : []),
    ...(candidateBotIds?.length === 0 ? fault('candidate_bot_ids', 'must name a bot; null is all bots') : []),
    ...(named.includes(sourceBotId) ? fault('candidate_bot_ids', 'must not name the source bot') : []),
    ...(unknown.length > 0 ? fault('candidate_bot_ids', `names bots that do not exist: ${unknown.join(', ')}`) : []),
    ...(silent.length > 0
      ? fault('candidate_bot_ids', `names bots without a description, which is what is read: ${silent.join(', ')}`)
      : []),
  ];
}

type Targeted = Omit<RoutingRuleContent, 'targetBotId'> & { targetBotId: number | undefined };

function targetFaults(directory: Pick<BotDirectory, 'isOwnBot'>, rule: Targeted): FaultDetail[] {
  const missing = (path: string) => ({ path, reason: 'is required unless the action is drop or hold' });
  const isOwnSource =
    rule.targetBotId === rule.sourceBotId &&
    (rule.targetChatId === SOURCE_CHAT || chatOfCondition(rule) === rule.targetChatId);
  return [
    ...(rule.targetBotId === undefined ? [missing('target_bot_id')] : []),
    ...(rule.targetChatId === null ? [missing('target_chat_id')] : []),
    ...(isOwnSource ? [{ path: 'target_chat_id', reason: 'is the source of this rule' }] : []),
    ...impossibleChat(directory, rule.targetChatId),
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
