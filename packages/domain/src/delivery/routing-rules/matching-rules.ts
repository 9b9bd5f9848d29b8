import { authorOf } from '@flotilla/telegram/message-facts.ts';
import { readMessageText } from '@flotilla/telegram/message-text.ts';
import { isAmongTopics, OUTSIDE_TOPICS, topicOf } from '@flotilla/telegram/message-topic.ts';
import { type Fields, readObject } from '@flotilla/telegram/platform-fields.ts';
import { NEW_MESSAGE_KINDS } from '@flotilla/telegram/update-kinds.ts';
import type { ActiveRule } from '../../fleet/bots/active-rule.ts';
import { type Bot, rulesOf } from '../../fleet/bots/bot.ts';
import { readThreadPlace } from '../../fleet/bots/thread-place.ts';
import { type CompiledPattern, compilePattern } from '../filters/compile-pattern.ts';
import { type FoldedText, foldText, hasFoldedKeyword } from '../filters/keyword.ts';

/** The rules of a bot that match a message, in the order they run. An album matches when one of its messages does. */
export function matchingRules(bot: Bot, kind: string, messages: Fields[]): ActiveRule[] {
  if (!NEW_MESSAGE_KINDS.includes(kind)) return [];
  return rulesOf(bot).filter((rule) => messages.some((message) => meets(rule, message)));
}

/** The rules that act on a message: those that match, up to the first one that drops it. */
export function actingRules(bot: Bot, kind: string, messages: Fields[]): ActiveRule[] {
  const matching = matchingRules(bot, kind, messages);
  const dropsAt = matching.findIndex((rule) => rule.action === 'drop');
  return dropsAt < 0 ? matching : matching.slice(0, dropsAt + 1);
}

/** The rules whose target the router chooses, in order. It is asked when a message has words and no other rule matches. */
export function routerRules(bot: Bot, kind: string, messages: Fields[]): ActiveRule[] {
  if (!NEW_MESSAGE_KINDS.includes(kind)) return [];
  const rules = rulesOf(bot).filter((rule) => rule.condition_type === 'llm');
  return rules.length > 0 && matchingRules(bot, kind, messages).length === 0 ? rules : [];
}

/** True if the condition of a rule holds for a message. The one of the router is decided later. */
export function meets(rule: ActiveRule, message: Fields): boolean {
  switch (rule.condition_type) {
    case 'all':
      return true;
    case 'chat_id':
      return chatIdsOf(rule).includes(idOf(readObject(message, 'chat')));
    case 'thread_id':
      return isInThread(rule, message);
    case 'user_id':
      return idOf(authorOf(message)) === rule.condition_value.trim();
    case 'keyword':
      return hasFoldedKeyword(foldedTextOf(message), rule.condition_value);
    case 'text':
      return patternOf(rule)(readMessageText(message) ?? '');
    case 'llm':
      return false;
  }
}

function chatIdsOf({ condition_value, formerChatIds = [] }: ActiveRule): (string | null)[] {
  return [condition_value.trim(), ...formerChatIds.map(String)];
}

function isInThread({ condition_value, formerChatIds = [] }: ActiveRule, message: Fields): boolean {
  const place = readThreadPlace(condition_value);
  const chatId = readObject(message, 'chat')?.id;
  if (place === null || typeof chatId !== 'number' || ![place.chat_id, ...formerChatIds].includes(chatId)) return false;
  return isAmongTopics(new Set([place.thread_id]), topicOf(message) ?? OUTSIDE_TOPICS, chatId);
}

/** All keyword rules of a bot look at the same message. */
const folded = new WeakMap<Fields, FoldedText>();

function foldedTextOf(message: Fields): FoldedText {
  const known = folded.get(message) ?? foldText(readMessageText(message) ?? '');
  folded.set(message, known);
  return known;
}

function idOf(chatOrUser: Fields | null): string | null {
  return chatOrUser === null ? null : String(chatOrUser.id);
}

// A changed rule is a new object, so a kept pattern is never out of date.
const patterns = new WeakMap<ActiveRule, (text: string) => boolean>();

function patternOf(rule: ActiveRule): (text: string) => boolean {
  const known = patterns.get(rule);
  if (known) return known;
  const compiled: CompiledPattern = compilePattern(rule.condition_value);
  const matches = compiled.outcome === 'compiled' ? compiled.matches : () => false;
  patterns.set(rule, matches);
  return matches;
}
