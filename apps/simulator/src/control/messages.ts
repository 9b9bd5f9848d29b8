import { z } from 'zod';
import { BotApiError } from '../bot-api-error.ts';
import type { Chat } from '../chats/chat.ts';
import { refuseClosedTopic, threadOf, topicFields } from '../chats/topic.ts';
import { mediaOf, showMedia } from '../files/show-media.ts';
import type { SimFile } from '../files/sim-file.ts';
import { storeFile } from '../files/store-file.ts';
import { forgetMessage } from '../messages/keep-message.ts';
import { type MessageFields, postMessage, tellBots } from '../messages/post-message.ts';
import { withoutReply } from '../messages/read-reply.ts';
import { formatText } from '../messages/read-text.ts';
import type { Simulator } from '../simulator.ts';
import { ControlError } from './control-error.ts';
import { anyOf, CHAT, inChat, MESSAGE_ID } from './fields.ts';
import { chatOf, markStarted, messageOf, writingPlaceOf } from './lookups.ts';
import { operation } from './operation.ts';

const SENT_FILE = z.strictObject({
  kind: z.enum(['photo', 'document', 'video', 'animation', 'audio', 'voice', 'video_note', 'sticker']),
  name: z.string().optional(),
  mime: z.string().optional(),
  base64: z.string(),
  emoji: z.string().optional().describe('of a sticker'),
  duration: z.int().min(0).optional().describe('in seconds'),
  width: z.int().min(0).optional(),
  height: z.int().min(0).optional(),
});

const SAID = inChat({
  text: z.string().optional().describe('what the person writes'),
  parseMode: z.string().optional().describe('HTML, Markdown or MarkdownV2: how the text is formatted'),
  file: SENT_FILE.optional().describe('a file, its bytes in base64'),
  caption: z.string().optional().describe('of the file'),
  topic: z
    .int()
    .optional()
    .describe('id of a topic of a forum or of a private chat; the General topic, or none, when not given'),
  replyTo: MESSAGE_ID.optional().describe('id of the message that is replied to'),
  mediaGroupId: z.string().optional().describe('the same for all messages of one album'),
  inNameOf: CHAT.optional().describe('id of the chat that is shown as the author: that group itself, or a channel'),
  content: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('further fields of the message, as the Bot API names them: location, contact, dice, …'),
});

export type Posted = { messageId: number; chatId: number; date: number; fileId?: string };

export const sendMessage = operation(
  'A person writes; the first message in a private chat starts the bot',
  {
    input: anyOf(SAID, 'text', 'file', 'content'),
    example: { person: 424_242, bot: 1_000_000_001, text: 'Hello' },
  },
  (sim, input): Posted => {
    const { person, chat } = writingPlaceOf(sim, input);
    markStarted(sim, chat);
    refuseTopic(chat, input);
    const inNameOf = input.inNameOf === undefined ? undefined : chatOf(sim, input.inNameOf);
    const message = postMessage(sim, chat, { user: person, inNameOf }, readContent(sim, chat, input));
    const media = mediaOf(message);
    return {
      messageId: message.message_id,
      chatId: chat.id,
      date: message.date,
      ...(media !== null && { fileId: media.fileId }),
    };
  },
);

function readContent(sim: Simulator, chat: Chat, input: z.output<typeof SAID>): MessageFields {
  const reply = input.replyTo === undefined ? {} : { reply_to_message: withoutReply(messageOf(chat, input.replyTo)) };
  const said: MessageFields = { ...topicFields(chat, threadOf(input.topic ?? 0, reply)), ...reply };
  if (input.mediaGroupId !== undefined) said.media_group_id = input.mediaGroupId;
  if (input.text !== undefined) Object.assign(said, written(input.text, input.parseMode));
  if (input.file !== undefined) {
    const { kind, emoji = '', duration = 0, width = 0, height = 0 } = input.file;
    const details = { emoji, duration, width, height, length: Math.min(width, height) };
    Object.assign(said, showMedia(kind, keep(sim, input.file), details));
  }
  if (input.caption !== undefined) Object.assign(said, captioned(input.caption, input.parseMode));
  return { ...said, ...input.content };
}

function written(raw: string, parseMode = ''): MessageFields {
  const { text, entities } = formatText(raw, parseMode, undefined);
  return { text, ...(entities.length > 0 && { entities }) };
}

function captioned(raw: string, parseMode = ''): MessageFields {
  const { text, entities } = formatText(raw, parseMode, undefined);
  return { caption: text, ...(entities.length > 0 && { caption_entities: entities }) };
}

function refuseTopic(chat: Chat, { topic = 0, person }: z.output<typeof SAID>): void {
  try {
    refuseClosedTopic(chat, topic, person);
  } catch (error) {
    if (!(error instanceof BotApiError)) throw error;
    throw new ControlError(`person ${person} may not write there: the topic is closed or not there`);
  }
}

function keep(sim: Simulator, file: z.output<typeof SENT_FILE>): SimFile {
  const bytes = Buffer.from(file.base64, 'base64');
  return storeFile(sim, file.kind, {
    name: file.name ?? '',
    bytes,
    ...(file.mime !== undefined && { mime: file.mime }),
  });
}

export const editMessage = operation(
  'A person edits the text or the caption of a message of theirs',
  {
    input: anyOf(
      inChat({
        messageId: MESSAGE_ID,
        text: z.string().optional().describe('the new text'),
        caption: z.string().optional().describe('the new caption'),
      }),
      'text',
      'caption',
    ),
    example: { person: 424_242, bot: 1_000_000_001, messageId: 1, text: 'Hello again' },
  },
  (sim, input): void => {
    const { person, chat } = writingPlaceOf(sim, input);
    const message = messageOf(chat, input.messageId);
    if (input.text !== undefined) Object.assign(message, { entities: undefined }, written(input.text));
    if (input.caption !== undefined) Object.assign(message, { caption_entities: undefined }, captioned(input.caption));
    message.edit_date = sim.clock.nowS();
    sim.storage.saveMessage(chat, message);
    tellBots(sim, chat, person, message, chat.type === 'channel' ? 'edited_channel_post' : 'edited_message');
  },
);

export const deleteMessages = operation(
  'A person deletes messages; the platform tells bots nothing of it',
  {
    input: inChat({ messageIds: z.array(MESSAGE_ID).describe('ids of messages in that chat') }),
    example: { person: 424_242, bot: 1_000_000_001, messageIds: [1] },
  },
  (sim, input): void => {
    const { chat } = writingPlaceOf(sim, input);
    for (const id of input.messageIds) forgetMessage(sim, chat, id);
  },
);
