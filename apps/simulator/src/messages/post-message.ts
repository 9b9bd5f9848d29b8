import { type Chat, type Message, showChat } from '../chats/chat.ts';
import type { User } from '../chats/user.ts';
import { botsIn, type Simulator } from '../simulator.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { keepMessage } from './keep-message.ts';
import { mayRead } from './may-read.ts';

/** The content of a message, in Bot API fields (text, photo, caption, reply_to_message, …). */
export type MessageFields = Record<string, unknown>;

/** The author: a person, a bot, or the channel itself. `inNameOf`: the group or channel that the others see instead. */
export type Author = { user: User | null; inNameOf?: Chat | undefined };

/** Shown as `from` for clients that do not know `sender_chat` (ids of td's UserManager). */
const ANONYMOUS_ADMIN: User = standIn(1_087_968_824, 'Group', 'GroupAnonymousBot');
const CHANNEL: User = standIn(136_817_688, 'Channel', 'Channel_Bot');

/** Builds the next message of a chat and stores it without publishing an update. */
export function newMessage(sim: Simulator, chat: Chat, author: Author, content: MessageFields): Message {
  const shown = showChat(chat);
  const { inNameOf } = author;
  const from = inNameOf === undefined ? author.user : inNameOf === chat ? ANONYMOUS_ADMIN : CHANNEL;
  const message: Message = {
    message_id: nextMessageId(sim, chat),
    ...(from !== null && chat.type !== 'channel' && { from }),
    ...(inNameOf !== undefined && { sender_chat: showChat(inNameOf) }),
    ...(chat.type === 'channel' && { sender_chat: shown }),
    chat: shown,
    date: sim.clock.nowS(),
    ...content,
  };
  if (author.user?.is_bot === true) sim.postedBy.set(message, author.user.id);
  keepMessage(sim, chat, message);
  return message;
}

/**
 * Posts a message and publishes it to every bot that may see it. A bot never receives its own messages, nor those of
 * other bots in groups.
 */
export function postMessage(sim: Simulator, chat: Chat, author: Author, content: MessageFields): Message {
  const message = newMessage(sim, chat, author, content);
  tellBots(sim, chat, author.user, message, chat.type === 'channel' ? 'channel_post' : 'message');
  return message;
}

/** Publishes a message under `kind` to the bots in its chat that may see messages of `writer`. */
export function tellBots(sim: Simulator, chat: Chat, writer: User | null, message: Message, kind: string): void {
  if (writer?.is_bot === true && chat.type !== 'channel') return;
  for (const bot of botsIn(sim, chat)) {
    if (bot.user.id === writer?.id || !mayRead(chat, bot, message)) continue;
    publishUpdate(sim, bot, kind, showTo(bot.user.id, message));
  }
}

/** Only the bot that attached an inline keyboard sees it; in a post of the chat itself no bot sees it. */
function showTo(botId: number, message: Message): Message {
  if (message.reply_markup === undefined || message.from?.id === botId) return message;
  const { reply_markup: _, ...rest } = message;
  return rest as Message;
}

/** The id that the next message of a chat gets. */
export function upcomingMessageId(sim: Simulator, chat: Chat): number {
  return (chat.person === null ? undefined : sim.bots.get(chat.botId))?.nextMessageId ?? chat.nextMessageId;
}

function nextMessageId(sim: Simulator, chat: Chat): number {
  const bot = chat.person === null ? undefined : sim.bots.get(chat.botId);
  if (bot === undefined) {
    sim.storage.saveChat(chat);
    return chat.nextMessageId++;
  }
  sim.storage.saveBot(bot);
  return bot.nextMessageId++;
}

function standIn(id: number, first_name: string, username: string): User {
  return { id, is_bot: true, first_name, username };
}
