import { DECISIONS_KEPT } from '@flotilla/contract/route-decisions.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { ActiveRule } from '../../fleet/bots/active-rule.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import type { CandidateRule } from './candidate.ts';
import type { RoutableMessage } from './routable-message.ts';
import type { Asking, Router } from './router.ts';
import { aboutBots, type KeptDecision } from './show-decision.ts';
import type { Verdict } from './verdict.ts';

type ChooseDeps = { redis: RedisHandles; clock: Clock; router: Router };

/** A bot that the router chose for a chat, and by which rule. */
export type Choice = { ruleId: number; targetBotId: number };

/** A choice as it is kept for its chat. */
type KeptChoice = Choice & Pick<KeptDecision, 'by' | 'reason' | 'about'>;

const HOLDS_MS = 30 * 60_000;
const DECISIONS_KEPT_MS = 7 * 86_400_000;

/**
 * The bot for a message, by the first of these rules that chooses one; null when none does. A choice holds for its chat until
 * 30 minutes pass without a message, or until /start. 'aborted' when the signal aborts, 'busy' when the router has no room to ask
 * now. Rejects when Redis is away.
 */
export async function chooseBot(
  deps: ChooseDeps,
  bot: Bot,
  rules: ActiveRule[],
  message: RoutableMessage,
  signal: AbortSignal,
): Promise<Choice | null | 'aborted' | 'busy'> {
  if (message.isStart) {
    await deps.redis.commands.del(botKeys(bot.id).choice(message.chat_id));
    return null;
  }
  const kept = await keptChoice(deps, bot, rules, message.chat_id);
  if (kept !== null) {
    const { ruleId, targetBotId, ...said } = kept;
    const decided = { ...said, target_bot_id: targetBotId, sticky: true, duration_ms: 0 };
    await note(deps, bot, { route_id: ruleId, chat_id: message.chat_id, ...decided });
    return { ruleId, targetBotId };
  }
  if (message.text === null) return null;
  const asking = deps.router.begin(bot, message);
  if (asking === null) return 'busy';
  try {
    return await askForRules(deps, bot, rules, { text: message.text, chat_id: message.chat_id }, { asking, signal });
  } finally {
    asking.end();
  }
}

async function askForRules(
  deps: ChooseDeps,
  bot: Bot,
  rules: ActiveRule[],
  { text, chat_id }: { text: string; chat_id: number },
  { asking, signal }: { asking: Asking; signal: AbortSignal },
): Promise<Choice | null | 'aborted'> {
  for (const rule of rules) {
    const began = performance.now();
    const verdict = await asking.ask(rule, text, signal);
    if (verdict.outcome === 'aborted') return 'aborted';
    const decided = { ...decisionOf(rule, verdict, performance.now() - began), sticky: false };
    await note(deps, bot, { route_id: rule.id, chat_id, ...decided });
    if (verdict.outcome === 'chosen') return { ruleId: rule.id, targetBotId: verdict.targetBotId };
  }
  return null;
}

/** A decision of the router, without where. */
export type Decision = Pick<KeptDecision, 'target_bot_id' | 'reason' | 'by' | 'duration_ms' | 'tokens' | 'about'>;

/** A verdict as decisions keep it. */
export function decisionOf(
  rule: CandidateRule,
  verdict: Exclude<Verdict, { outcome: 'aborted' }>,
  tookMs: number,
): Decision {
  const { by, reason, ownWords = false, tokens } = verdict;
  return {
    target_bot_id: verdict.outcome === 'chosen' ? verdict.targetBotId : null,
    reason,
    by,
    about: ownWords ? '' : aboutBots(rule),
    duration_ms: Math.round(tookMs),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

/** The choice that still holds for the chat, if its rule could make it now. */
async function keptChoice(
  { redis, router }: ChooseDeps,
  bot: Bot,
  rules: ActiveRule[],
  chatId: number,
): Promise<KeptChoice | null> {
  const stored = await redis.commands.get(botKeys(bot.id).choice(chatId));
  if (stored === null) return null;
  const kept = JSON.parse(stored) as KeptChoice;
  const rule = rules.find(({ id }) => id === kept.ruleId);
  return rule !== undefined && router.mayChoose(bot, rule, kept.targetBotId) ? kept : null;
}

/** Keeps a decision for people; a chosen bot holds for the chat from now on. */
async function note({ redis, clock }: ChooseDeps, bot: Bot, decided: Omit<KeptDecision, 'at'>): Promise<void> {
  const decision: KeptDecision = { at: new Date(clock.nowMs()).toISOString(), ...decided };
  const { route_id: ruleId, chat_id, target_bot_id: targetBotId, by, reason, about = '' } = decided;
  const chosen =
    targetBotId === null ? null : JSON.stringify({ ruleId, targetBotId, by, reason, about } satisfies KeptChoice);
  const keys = botKeys(bot.id);
  await scripts.noteDecision(
    redis.commands,
    { ...keys, choice: keys.choice(chat_id) },
    {
      ...registrationOf(bot),
      decision: JSON.stringify(decision),
      event: JSON.stringify({ bot_id: bot.id, ...decision }),
      kept: DECISIONS_KEPT,
      keptMs: DECISIONS_KEPT_MS,
      chosen,
      holdsMs: HOLDS_MS,
    },
  );
}

/** The decisions of the router for messages of a bot, newest first. */
export async function listDecisions(
  { redis }: { redis: RedisHandles },
  bot: Bot,
  limit: number,
): Promise<KeptDecision[]> {
  const stored = await redis.commands.lrange(botKeys(bot.id).decisions, 0, limit - 1);
  return stored.map((decision) => JSON.parse(decision) as KeptDecision);
}
