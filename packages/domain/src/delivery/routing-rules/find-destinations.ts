import { type Fields, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import { type ActiveRule, SOURCE_CHAT } from '../../fleet/bots/active-rule.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { SeenMessage } from '../../records/history/route-links.ts';
import type { Destination } from './destination.ts';
import { findCounterparts } from './find-counterparts.ts';
import type { RoutingDeps } from './routing-deps.ts';

type FindDeps = Pick<RoutingDeps, 'db' | 'redis' | 'directory'>;

/**
 * The destinations of a message (or album): at most one for each of the rules that send it and, when it replies to a routed message,
 * the chat where that one came from. A rule that sends there already delivers the reply, too.
 */
export async function findDestinations(
  deps: FindDeps,
  bot: Bot,
  rules: ActiveRule[],
  messages: Fields[],
): Promise<Destination[]> {
  const [first = {}] = messages;
  const answered = answeredMessage(bot, first);
  const { source, targets } =
    answered === null ? { source: null, targets: [] } : await findCounterparts(deps, answered);
  const byRules = rules.flatMap((rule) => {
    const found = ruleDestination(deps.directory, rule, { source, targets }, first);
    return found !== null && !isEcho(bot, rule, first, found) ? [found] : [];
  });
  if (source === null || byRules.some((to) => to.target.id === source.botId && to.chatId === source.chatId)) {
    return byRules;
  }
  const back = replyDestination(deps.directory, source);
  return back === null || isWhereItIs(bot, first, back) ? byRules : [...byRules, back];
}

/** True if a message may be a reply to a routed one: it replies to a message that this bot may have sent. */
export function answersOwnMessage(bot: Bot, message: Fields): boolean {
  const answered = readObject(message, 'reply_to_message');
  if (answered === null) return false;
  const writers = ['from', 'sender_business_bot'].map((field) => readObject(answered, field)?.id);
  return writers.includes(bot.telegram_id) || readObject(answered, 'sender_chat') !== null;
}

/** True if a rule would send a message on, and not only to the chat that it is in. */
export function sendsElsewhere(directory: BotDirectory, bot: Bot, rule: ActiveRule, message: Fields): boolean {
  const found = ruleDestination(directory, rule, { source: null, targets: [] }, message);
  return found !== null && !isEcho(bot, rule, message, found);
}

function ruleDestination(
  directory: BotDirectory,
  rule: ActiveRule,
  { source, targets }: { source: SeenMessage | null; targets: SeenMessage[] },
  message: Fields,
): Destination | null {
  const target = directory.byId(rule.target_bot_id);
  const chatId = rule.target_chat_id === SOURCE_CHAT ? chatOf(message) : rule.target_chat_id;
  if (target === undefined || chatId === null) return null;
  const counterparts = source === null ? targets : [source, ...targets];
  const counterpart = counterparts.find((made) => made.botId === target.id && made.chatId === chatId);
  return {
    key: keyOfRule(rule),
    name: nameOf(rule),
    ruleId: counterpart !== undefined && counterpart === source ? null : rule.id,
    target,
    chatId,
    businessConnectionId: counterpart?.businessConnectionId ?? '',
    replyTo: counterpart?.messageId ?? null,
    showsSource: rule.action === 'forward',
    atMostOnce: rule.delivery === 'at_most_once',
  };
}

/** The key of a rule as a destination. */
export function keyOfRule(rule: ActiveRule): string {
  return `r${rule.id}`;
}

const CHOSEN = /^rule (\d+), bot (\d+)$/;

/** The name of a rule as a destination; of one that the router applied with the bot that it chose. */
function nameOf(rule: ActiveRule): string {
  return rule.condition_type === 'llm' ? `rule ${rule.id}, bot ${rule.target_bot_id}` : `rule ${rule.id}`;
}

/** The choice that the name of a destination tells; undefined for other names. */
export function choiceIn(name: string): { ruleId: number; targetBotId: number } | undefined {
  const [, ruleId, targetBotId] = CHOSEN.exec(name) ?? [];
  return ruleId === undefined ? undefined : { ruleId: Number(ruleId), targetBotId: Number(targetBotId) };
}

function replyDestination(directory: BotDirectory, source: SeenMessage): Destination | null {
  const target = directory.byId(source.botId);
  if (target === undefined) return null;
  const { chatId, messageId, businessConnectionId } = source;
  return {
    key: `b${target.id}:${chatId}`,
    name: 'the reply',
    ruleId: null,
    target,
    chatId,
    businessConnectionId,
    replyTo: messageId,
    showsSource: false,
    atMostOnce: false,
  };
}

function chatOf(message: Fields): number | null {
  const id = readObject(message, 'chat')?.id;
  return typeof id === 'number' ? id : null;
}

/** A rule whose target is the source chat wants the messages there again, but from another bot. */
function isEcho(bot: Bot, rule: ActiveRule, message: Fields, to: Destination): boolean {
  return rule.target_chat_id === SOURCE_CHAT ? to.target.id === bot.id : isWhereItIs(bot, message, to);
}

/** No message is sent to its own chat. A private chat has the person's id for every bot, so the bot counts, too. */
function isWhereItIs(bot: Bot, message: Fields, to: Destination): boolean {
  return readObject(message, 'chat')?.id === to.chatId && (to.chatId < 0 || to.target.id === bot.id);
}

/**
 * The message to which this one replies, as this bot sees it. For a channel's post in a discussion group that is the
 * original post.
 */
function answeredMessage(bot: Bot, message: Fields): SeenMessage | null {
  const answered = readObject(message, 'reply_to_message');
  if (answered === null) return null;
  const origin = answered.is_automatic_forward === true ? readObject(answered, 'forward_origin') : null;
  const shown = origin ?? answered;
  const chatId = Number((readObject(shown, 'chat') ?? readObject(message, 'chat'))?.id);
  const messageId = Number(shown.message_id);
  if (!Number.isSafeInteger(chatId) || !Number.isSafeInteger(messageId)) return null;
  return { botId: bot.id, chatId, messageId, businessConnectionId: readText(message, 'business_connection_id') ?? '' };
}
