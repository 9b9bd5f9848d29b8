import { z } from 'zod';
import type { Chat } from '../chats/chat.ts';
import { privateKey } from '../chats/chat.ts';
import { mediaOf } from '../files/show-media.ts';
import type { Simulator } from '../simulator.ts';
import { ControlError } from './control-error.ts';
import { BOT, CHAT, oneOf, PERSON } from './fields.ts';
import { chatOf } from './lookups.ts';
import { operation } from './operation.ts';

export type ShownMessage = Record<string, unknown> & { message_id: number; date: number; text?: string };
export type ShownChat = {
  id: number;
  type: string;
  title: string;
  messages: (ShownMessage & { file?: { name: string; size: number; sha256: string; fileId: string } })[];
  pinned: number[];
  members: { id: number; status: string }[];
  drafts: Record<string, unknown>;
  topics: { topic: number; name: string; isClosed: boolean }[];
  actions: { userId: number; action: string; atMs: number }[];
};

const READ_CHAT = z.strictObject({
  person: PERSON.optional().describe('with bot: the person of the private chat'),
  bot: BOT.optional().describe('with person: the bot of the private chat'),
  chat: CHAT.optional().describe('id of a group, supergroup or channel'),
});

export const readChat = operation(
  'Shows what a chat holds: messages, members, what is pinned',
  {
    input: oneOf(READ_CHAT, 'bot', 'chat').refine(
      ({ person, chat }) => (person === undefined) === (chat !== undefined),
      {
        error: 'a private chat takes person and bot, any other one chat alone',
      },
    ),
    example: { person: 424_242, bot: 1_000_000_001 },
  },
  (sim, { person, bot, chat: id }): ShownChat => {
    if (person === undefined || bot === undefined) return showWhole(sim, chatOf(sim, id!));
    const chat = sim.chats.get(privateKey(bot, person));
    if (chat === undefined) throw new ControlError(`there is no chat of person ${person} with bot ${bot}`);
    return showWhole(sim, chat);
  },
);

export function showWhole(sim: Simulator, chat: Chat): ShownChat {
  return {
    id: chat.id,
    type: chat.type,
    title: chat.title,
    messages: [...chat.messages.values()].map((message) => {
      const media = mediaOf(message);
      const file = media === null ? undefined : sim.files.get(media.fileId);
      if (file === undefined) return message;
      const { name, sha256, fileId, bytes } = file;
      return { ...message, file: { name, size: bytes.length, sha256, fileId } };
    }),
    pinned: chat.pinned,
    members: [...chat.members.values()].map(({ user, status }) => ({ id: user.id, status })),
    drafts: chat.drafts,
    topics: Object.values(chat.topics).map(({ message_thread_id: topic, name, isClosed }) => ({
      topic,
      name,
      isClosed,
    })),
    actions: chat.actions,
  };
}
