import { type Fields, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import { type ActiveRule, SOURCE_CHAT } from '../bots/active-rule.ts';
import type { Bot } from '../bots/bot.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import type { SeenMessage } from '../history/route-links.ts';
import type { Destination } from './destination.ts';
import { findCounterparts } from './find-counterparts.ts';
import { sendingRules } from './match-rules.ts';
import type { RoutingDeps } from './routing-deps.ts';

type FindDeps = Pick<RoutingDeps, 'db' | 'redis' | 'directory'>;

/**
 * Where a message (or album) is to be shown again: what its rules say, and, when it answers a routed message, where that
 * one came from. Each chat once for a rule; a rule that leads there already takes the reply along.
 */
export async function findDestinations(
  deps: FindDeps,
  bot: Bot,
  kind: string,
  messages: Fields[],
): Promise<Destination[]> {
  const [first = {}] = messages;
  const answered = answeredMessage(bot, first);
  const { source, targets } =
    answered === null ? { source: null, targets: [] } : await findCounterparts(deps, answered);
  const counterparts = source === null ? targets : [source, ...targets];
  const byRules = sendingRules(bot, kind, messages).flatMap((rule) => {
    const found = ruleDestination(deps.directory, rule, counterparts, first);
    return found !== null && !isEcho(bot, rule, first, found) ? [found] : [];
  });
  if (source === null || byRules.some((to) => to.target.id === source.botId && to.chatId === source.chatId)) {
    return byRules;
  }
  const back = replyDestination(deps.directory, source);
  return back === null || isWhereItIs(bot, first, back) ? byRules : [...byRules, back];
}

/** Whether a message may answer one that was routed: it answers something this bot has sent. */
export function answersOwnMessage(bot: Bot, message: Fields): boolean {
  const answered = readObject(message, 'reply_to_message');
  if (answered === null) return false;
  const writers = ['from', 'sender_business_bot'].map((field) => readObject(answered, field)?.id);
  return writers.includes(bot.telegramId) || readObject(answered, 'sender_chat') !== null;
}

function ruleDestination(
  directory: BotDirectory,
  rule: ActiveRule,
  counterparts: SeenMessage[],
  message: Fields,
): Destination | null {
  const target = directory.byId(rule.targetBotId);
  const chatId = rule.targetChatId === SOURCE_CHAT ? chatOf(message) : rule.targetChatId;
  if (target === undefined || chatId === null) return null;
  const counterpart = counterparts.find((made) => made.botId === target.id && made.chatId === chatId);
  return {
    key: `r${rule.id}`,
    name: `rule ${rule.id}`,
    target,
    chatId,
    businessConnectionId: counterpart?.businessConnectionId ?? '',
    replyTo: counterpart?.messageId ?? null,
    showsSource: rule.action === 'forward',
    atMostOnce: rule.delivery === 'at_most_once',
  };
}

function replyDestination(directory: BotDirectory, source: SeenMessage): Destination | null {
  const target = directory.byId(source.botId);
  if (target === undefined) return null;
  const { chatId, messageId, businessConnectionId } = source;
  return {
    key: `b${target.id}:${chatId}`,
    name: 'the reply',
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

/** Who asks for the source's own chat wants its messages there again, by another bot. */
function isEcho(bot: Bot, rule: ActiveRule, message: Fields, to: Destination): boolean {
  return rule.targetChatId === SOURCE_CHAT ? to.target.id === bot.id : isWhereItIs(bot, message, to);
}

/** A chat does not hear its own messages again. A private chat's id is that of the person, with whichever bot. */
function isWhereItIs(bot: Bot, message: Fields, to: Destination): boolean {
  return readObject(message, 'chat')?.id === to.chatId && (to.chatId < 0 || to.target.id === bot.id);
}

/** The message that this one answers, as this bot sees it; of a channel's post in its discussion group, the post. */
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
