import { setImmediate } from 'node:timers/promises';
import type { NoMatchReason } from '@flotilla/contract/routing-rule-operations.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { readMessageText } from '@flotilla/telegram/message-text.ts';
import { type Fields, readObject } from '@flotilla/telegram/platform-fields.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import { NEW_MESSAGE_KINDS } from '@flotilla/telegram/update-kinds.ts';
import { sendsMessages } from '../../fleet/bots/active-rule.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { Scope } from '../../people/accounts/scope.ts';
import { type Decision, decisionOf } from '../router/choose-bot.ts';
import { routableMessage } from '../router/routable-message.ts';
import type { Asking, Router } from '../router/router.ts';
import { completeRule, type WantedRule } from './complete-rule.ts';
import { sendsElsewhere } from './find-destinations.ts';
import { meets } from './matching-rules.ts';
import { isOwnMessage } from './own-message.ts';
import type { RoutingRuleContent } from './routing-rule.ts';
import { routingRuleStore } from './routing-rule-store.ts';

type TryDeps = { db: Database; redis: RedisHandles; directory: BotDirectory; router: Router };

/** A saved rule, or one that is tried before it is saved. */
type TryableRule = RoutingRuleContent & { id: number };

/** A rule that is not saved; with the id of a saved one it stands in its place. */
export type DraftRule = WantedRule & { id?: number | undefined };

/** Stands for the id of a rule that is not saved and replaces none. */
const UNSAVED = 0;

/** reason: null when the rule would act on the message. `decision`: of the router, if it was asked. */
export type TriedRule = { rule: TryableRule; reason: NoMatchReason | null; decision: Decision | null };

/** The platform's limit. The time of a regular expression grows with the text. */
const LONGEST_TEXT = 4096;
const RULES_AT_MOST = 10_000;
const RETRY_AFTER_S = 5;

/**
 * Tells for each rule of a bot whether it would act on a Message, or on an Update, and if not, why. Changes nothing.
 * Throws FlotillaError('bad_request') for a text that no message can have or a draft that could not be saved, 'not_found' for a draft
 * of another bot's rule, 'too_many_requests' while too many trials ask the router.
 */
export async function tryRoutingRules(
  deps: TryDeps,
  bot: Bot,
  { message: given, draft }: { message: Fields; draft: DraftRule | null },
  by: { scope: Scope; accountId: number; signal: AbortSignal },
): Promise<TriedRule[]> {
  const message = messageIn(given);
  if ((readMessageText(message ?? {}) ?? '').length > LONGEST_TEXT) {
    throw refusedInput('message', `has a text of more than ${LONGEST_TEXT} characters`);
  }
  const saved = await routingRuleStore(deps.db).list(
    by.scope,
    { source_bot_id: bot.id },
    { limit: RULES_AT_MOST, offset: 0, after: null },
  );
  const rules = draft === null ? saved : withDraft(deps, saved, draft);
  const forAll = await reasonForAll(deps, bot, message);
  const tried: TriedRule[] = [];
  let dropped = false;
  for (const rule of rules) {
    const reason: NoMatchReason | null = forAll ?? reasonOf(deps, bot, rule, message ?? {}, dropped);
    dropped ||= reason === null && rule.action === 'drop';
    tried.push({ rule, reason, decision: null });
    // Many slow expressions must not hold up other calls.
    await setImmediate();
  }
  if (forAll !== null || !tried.some(isOfRouter)) return tried;
  const asking = deps.router.begin(bot, { triedBy: by.accountId });
  if (asking === null) {
    throw new FlotillaError('too_many_requests', 'Too many trials wait for the model', { retryAfterS: RETRY_AFTER_S });
  }
  try {
    return await withDecisions(deps, bot, tried, message ?? {}, { asking, signal: by.signal });
  } finally {
    asking.end();
  }
}

function withDraft({ directory }: TryDeps, saved: readonly TryableRule[], { id, ...wanted }: DraftRule): TryableRule[] {
  const before = saved.find((rule) => rule.id === id);
  if (id !== undefined && before === undefined) throw new FlotillaError('not_found', 'Route not found');
  const rule = { ...completeRule(directory, wanted, before?.candidate_bot_ids, 'rule.'), id: id ?? UNSAVED };
  return before === undefined ? [...saved, rule] : saved.map((one) => (one === before ? rule : one));
}

function isOfRouter({ rule }: TriedRule): boolean {
  return rule.condition_type === 'llm';
}

/** Asks the router for its rules, unless another rule matches: the first one that chooses a bot acts. */
async function withDecisions(
  { directory }: TryDeps,
  bot: Bot,
  tried: TriedRule[],
  message: Fields,
  { asking, signal }: { asking: Asking; signal: AbortSignal },
): Promise<TriedRule[]> {
  const { text } = routableMessage([message]);
  let taken = tried.some((one) => !isOfRouter(one) && meetsCondition(one));
  const answered: TriedRule[] = [];
  for (const one of tried) {
    if (!isOfRouter(one) || one.reason === 'disabled') answered.push(one);
    else if (taken) answered.push({ ...one, reason: 'matched_before' });
    else if (text === null) answered.push({ ...one, reason: 'no_text' });
    else {
      const { rule } = one;
      const began = performance.now();
      const verdict = await asking.ask(rule, text, signal);
      if (verdict.outcome === 'aborted') throw new FlotillaError('unavailable', 'The router was not asked to the end');
      const chosen = verdict.outcome === 'chosen' ? { ...rule, target_bot_id: verdict.targetBotId } : null;
      taken ||= chosen !== null;
      const sends = chosen !== null && sendsElsewhere(directory, bot, chosen, message);
      const reason = chosen === null ? 'not_chosen' : sends ? null : 'same_chat';
      answered.push({ rule, reason, decision: decisionOf(rule, verdict, performance.now() - began) });
    }
  }
  return answered;
}

/** True if the condition of a rule holds, whatever else keeps the rule from acting. */
function meetsCondition({ reason }: TriedRule): boolean {
  return reason === null || reason === 'dropped_before' || reason === 'same_chat';
}

/** The message that rules look at; null for an update of another kind. */
function messageIn(given: Fields): Fields | null {
  if (!('update_id' in given)) return given;
  const { update_id: _id, ...payloads } = given;
  const { kind } = readUpdateFacts(payloads);
  return NEW_MESSAGE_KINDS.includes(kind) ? readObject(given, kind) : null;
}

async function reasonForAll(deps: TryDeps, bot: Bot, message: Fields | null): Promise<NoMatchReason | null> {
  if (bot.disabled || !bot.manage_enabled) return 'bot_off';
  if (message === null) return 'other_kind';
  return (await isOwnMessage(deps, message)) ? 'own_message' : null;
}

function reasonOf(
  { directory }: TryDeps,
  bot: Bot,
  rule: TryableRule,
  message: Fields,
  dropped: boolean,
): NoMatchReason | null {
  if (!rule.enabled) return 'disabled';
  if (!meets(rule, message)) return 'condition';
  if (dropped) return 'dropped_before';
  if (sendsMessages(rule.action) && !sendsElsewhere(directory, bot, rule, message)) return 'same_chat';
  return null;
}
