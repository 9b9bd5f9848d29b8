import type { Chat, Message } from '../chats/chat.ts';
import type { User } from '../chats/user.ts';
import { type MediaKind, mediaOf, showMedia } from '../files/show-media.ts';
import type { SimFile } from '../files/sim-file.ts';
import { storeFile } from '../files/store-file.ts';
import { type Content, postMessage, tellBots } from '../messages/post-message.ts';
import { withoutReply } from '../messages/read-reply.ts';
import { formatText } from '../messages/read-text.ts';
import { newQueryId, type Simulator } from '../simulator.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { ControlError } from './control-error.ts';
import { botOf, chatOf, messageOf, personOf } from './lookups.ts';

/** A file a person sends: its bytes in base64, or random-free filler of a size. */
export type SentFile = { kind: MediaKind; name?: string; mime?: string; base64: string };

export type Said = {
  from: number;
  /** A bot's id (the private chat with it), or the id of a group, supergroup or channel. */
  to: number;
  text?: string;
  parseMode?: string;
  file?: SentFile;
  caption?: string;
  replyTo?: number;
  mediaGroupId?: string;
  /** Any further fields of the message, as the Bot API names them (location, contact, dice, …). */
  content?: Record<string, unknown>;
};

export type Posted = { messageId: number; chatId: number; date: number; fileId?: string };

/** A person writes. The first message in a private chat starts the bot. */
export function sendMessage(sim: Simulator, input: Said): Posted {
  const chat = chatOf(sim, input.from, input.to);
  const person = personOf(sim, input.from);
  chat.started = true;
  const content = readContent(sim, chat, input);
  const message = postMessage(sim, chat, { user: person }, content);
  const media = mediaOf(message);
  return {
    messageId: message.message_id,
    chatId: chat.id,
    date: message.date,
    ...(media !== null && { fileId: media.fileId }),
  };
}

function readContent(sim: Simulator, chat: Chat, input: Said): Content {
  const said: Content = {};
  if (input.replyTo !== undefined) said.reply_to_message = withoutReply(messageOf(chat, input.replyTo));
  if (input.mediaGroupId !== undefined) said.media_group_id = input.mediaGroupId;
  if (input.text !== undefined) {
    const { text, entities } = formatText(input.text, input.parseMode ?? '', undefined);
    Object.assign(said, { text }, entities.length > 0 && { entities });
  }
  if (input.file !== undefined) Object.assign(said, showMedia(input.file.kind, keep(sim, input.file)));
  if (input.caption !== undefined) said.caption = input.caption;
  return { ...said, ...input.content };
}

function keep(sim: Simulator, file: SentFile): SimFile {
  const bytes = Buffer.from(file.base64, 'base64');
  return storeFile(sim, file.kind, {
    name: file.name ?? '',
    bytes,
    ...(file.mime !== undefined && { mime: file.mime }),
  });
}

/** A person edits the text or caption of a message of theirs. */
export function editMessage(
  sim: Simulator,
  input: { from: number; to: number; messageId: number; text?: string; caption?: string },
): void {
  const chat = chatOf(sim, input.from, input.to);
  const message = messageOf(chat, input.messageId);
  if (input.text !== undefined) Object.assign(message, { text: input.text, entities: undefined });
  if (input.caption !== undefined) message.caption = input.caption;
  message.edit_date = sim.clock.nowS();
  tellBots(
    sim,
    chat,
    personOf(sim, input.from),
    message,
    chat.type === 'channel' ? 'edited_channel_post' : 'edited_message',
  );
}

/** A person deletes messages; the platform tells bots nothing of it. */
export function deleteMessages(sim: Simulator, input: { from: number; to: number; messageIds: number[] }): void {
  const chat = chatOf(sim, input.from, input.to);
  for (const id of input.messageIds) chat.messages.delete(id);
}

/** A person presses an inline button, found by its data or its text (the first one when neither is given). */
export function pressButton(
  sim: Simulator,
  input: { from: number; to: number; messageId: number; data?: string; text?: string },
): { queryId: string } {
  const chat = chatOf(sim, input.from, input.to);
  const message = messageOf(chat, input.messageId);
  const button = findButton(message, input);
  const bot = botOf(sim, message.from?.is_bot ? message.from.id : ownerOf(sim, message));
  const queryId = newQueryId(sim);
  sim.queries.set(queryId, { botId: bot.user.id, kind: 'callback', answer: null });
  publishUpdate(sim, bot, 'callback_query', {
    id: queryId,
    from: personOf(sim, input.from) satisfies User,
    message,
    chat_instance: String(BigInt(chat.id) * 7_919n),
    data: button.callback_data,
  });
  return { queryId };
}

function findButton(message: Message, input: { data?: string; text?: string }): Record<string, unknown> {
  const markup = message.reply_markup as { inline_keyboard?: Record<string, unknown>[][] } | undefined;
  const buttons = (markup?.inline_keyboard ?? []).flat().filter((button) => button.callback_data !== undefined);
  const found = buttons.find(
    (button) =>
      (input.data === undefined || button.callback_data === input.data) &&
      (input.text === undefined || button.text === input.text),
  );
  if (found === undefined) throw new ControlError(`message ${message.message_id} has no such button`);
  return found;
}

/** Channel posts do not name their author, so the simulator remembers which bot posted. */
function ownerOf(sim: Simulator, message: Message): number {
  const owner = sim.postedBy.get(message);
  if (owner === undefined) throw new ControlError("the message is not a bot's");
  return owner;
}
