import { hasPrivacyMode } from '../bots/privacy-mode.ts';
import type { SimBot } from '../bots/sim-bot.ts';
import { type Chat, isAdmin, type Message } from '../chats/chat.ts';
import { isServiceMessage } from './service-message.ts';

type Entity = { type: string; offset: number; length: number };

/**
 * False for what a bot in privacy mode does not get from a group. It gets commands, mentions, replies to it and service
 * messages (https://core.telegram.org/bots/faq#what-messages-will-my-bot-get); a chat-admin gets everything.
 */
export function mayRead(chat: Chat, bot: SimBot, message: Message): boolean {
  const isGroup = chat.type === 'group' || chat.type === 'supergroup';
  if (!isGroup || !hasPrivacyMode(bot) || isAdmin(chat.members.get(bot.user.id))) return true;
  return isServiceMessage(message) || isMeantFor(chat, bot, message);
}

function isMeantFor(chat: Chat, bot: SimBot, message: Message): boolean {
  const { via_bot, reply_to_message } = message as { via_bot?: { id: number }; reply_to_message?: Message };
  if (via_bot?.id === bot.user.id || namesBot(chat, bot, message)) return true;
  // A message of a topic carries the message that made the topic, also if it replies to nothing.
  if (reply_to_message === undefined || isServiceMessage(reply_to_message)) return false;
  return reply_to_message.from?.id === bot.user.id || isMeantFor(chat, bot, reply_to_message);
}

function namesBot(chat: Chat, bot: SimBot, message: Message): boolean {
  const text = String(message.text ?? message.caption ?? '');
  const entities = (message.entities ?? message.caption_entities ?? []) as Entity[];
  return entities.some(({ type, offset, length }) => {
    const [word, name] = text.slice(offset, offset + length).split('@');
    if (type === 'bot_command' && name === undefined) return word !== '' && wroteLast(chat, bot);
    return ['mention', 'bot_command'].includes(type) && name?.toLowerCase() === bot.user.username.toLowerCase();
  });
}

/** A command without a name is for the bot that wrote last; for all of them before one has written. */
function wroteLast(chat: Chat, bot: SimBot): boolean {
  const last = [...chat.messages.values()].findLast(
    (message) => message.from?.is_bot === true && !isServiceMessage(message),
  );
  return last === undefined || last.from?.id === bot.user.id;
}
