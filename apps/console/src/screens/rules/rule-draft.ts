import type {
  ConditionType,
  RoutingAction,
  RoutingDelivery,
  RoutingRuleResource,
} from '@flotilla/contract/routing-rules.ts';
import { changedFields } from '../../parts/changed-fields.ts';
import type { Faults } from '../../parts/use-form.ts';

/** The target of a rule that asks the router. */
const ROUTER = 0;

/** The thread of messages outside every topic. */
export const OUTSIDE_TOPICS = '0';

/** The chat and the topic of a condition, '' where none is chosen. */
export function placeIn(value: string): { chat: string; thread: string } {
  const [chat = '', thread = ''] = value.split(':');
  return { chat, thread };
}

const NAMES_AN_ID: readonly ConditionType[] = ['chat_id', 'thread_id', 'user_id'];

/** The value under another kind of condition: a text or a chat, but no id of something else. */
export function valueUnder(chosen: ConditionType, { condition, value }: Pick<Draft, 'condition' | 'value'>): string {
  if (condition === 'thread_id' && chosen === 'chat_id') return placeIn(value).chat;
  if (condition === 'chat_id' && chosen === 'thread_id') return value;
  return NAMES_AN_ID.includes(condition) || NAMES_AN_ID.includes(chosen) ? '' : value;
}

/** True unless the rule drops messages, or holds their chat. */
export function sendsMessages(action: RoutingAction): boolean {
  return action === 'forward' || action === 'copy';
}

/** The fields of the form: numbers are text until the api reads them. */
export type Draft = {
  condition: ConditionType;
  value: string;
  action: RoutingAction;
  minutes: string;
  targetBot: string | undefined;
  /** The bots that the router chooses from; null: all with a description. */
  candidates: number[] | null;
  targetChat: string;
  delivery: RoutingDelivery;
  description: string;
  enabled: boolean;
};

export function draftOf(botId: number, rule: RoutingRuleResource | null): Draft {
  return {
    condition: rule?.condition_type ?? 'keyword',
    value: rule?.condition_value ?? '',
    action: rule?.action ?? 'forward',
    minutes: String(rule?.action_minutes ?? 60),
    targetBot: rule?.target_bot_id === 0 ? undefined : String(rule?.target_bot_id ?? botId),
    candidates: rule?.candidate_bot_ids ?? null,
    targetChat: rule?.target_chat_id === undefined ? '' : String(rule.target_chat_id),
    delivery: rule?.delivery ?? 'at_least_once',
    description: rule?.description ?? '',
    enabled: rule?.enabled ?? true,
  };
}

/** The input for the api. An empty field is sent too, so that the api refuses it. */
export function inputOf(draft: Draft) {
  const { condition, value, action, targetBot, targetChat, delivery, description, enabled, candidates } = draft;
  const target =
    condition === 'llm'
      ? { target_bot_id: ROUTER, candidate_bot_ids: candidates }
      : { target_bot_id: targetBot ?? '', candidate_bot_ids: null };
  return {
    condition_type: condition,
    condition_value: condition === 'all' ? '' : value,
    ...{ action, delivery, description, enabled },
    ...(sendsMessages(action) ? { ...target, target_chat_id: targetChat.trim() } : {}),
    ...(action === 'hold' ? { action_minutes: draft.minutes.trim() } : {}),
  };
}

export function changesOf(draft: Draft, known: Draft) {
  const input = inputOf(draft);
  const changes = changedFields(input, inputOf(known));
  // A value means nothing without its kind of condition.
  const isOther = 'condition_type' in changes || 'condition_value' in changes;
  const { condition_type, condition_value } = input;
  return { ...changes, ...(isOther ? { condition_type, condition_value } : {}) };
}

/** Most rules of the router do this: the chosen bot answers in the chat of the message. */
export const OF_ROUTER: Partial<Draft> = { action: 'copy', targetChat: '0' };

/** The faults that the page finds before it asks the api. */
export function localFaults(draft: Draft, required: string): Faults {
  const { condition, value, action, targetBot, candidates, targetChat } = draft;
  const passesOn = sendsMessages(action);
  const asksRouter = condition === 'llm';
  return {
    ...(condition !== 'all' && !asksRouter && isMissing(condition, value) ? { condition_value: required } : {}),
    ...(passesOn && !asksRouter && targetBot === undefined ? { target_bot_id: required } : {}),
    ...(passesOn && asksRouter && candidates?.length === 0 ? { candidate_bot_ids: required } : {}),
    ...(passesOn && targetChat.trim() === '' ? { target_chat_id: required } : {}),
  };
}

function isMissing(condition: ConditionType, value: string): boolean {
  return value === '' || (condition === 'thread_id' && placeIn(value).thread === '');
}
