import { z } from 'zod';
import type { Chat } from '../chats/chat.ts';
import { privateKey } from '../chats/chat.ts';
import { mediaOf } from '../files/show-media.ts';
import type { Simulator } from '../simulator.ts';
import { ControlError } from './control-error.ts';
import { BOT, CHAT, oneOf, PERSON } from './fields.ts';
import { type ShownFile, showFile } from './files.ts';
import { chatOf } from './lookups.ts';
import { operation } from './operation.ts';

export type ShownMessage = Record<string, unknown> & { message_id: number; date: number; text?: string };
export type ShownMember = { id: number; status: string; name: string; username: string; isBot: boolean };
export type ShownChat = {
  id: number;
  type: string;
  title: string;
  isForum: boolean;
  /** Of a private chat: whether the person has written, and whether they block the bot. */
  started: boolean;
  blocked: boolean;
  messages: (ShownMessage & { file?: ShownFile })[];
  pinned: number[];
  members: ShownMember[];
  drafts: Record<string, unknown>;
  topics: { topic: number; name: string; isClosed: boolean }[];
  actions: { userId: number; action: string; atMs: number }[];
  keyboard: Chat['keyboard'];
  reactions: { messageId: number; by: number; emoji: string[] }[];
  /** The clock of the platform, for the times above. */
  nowMs: number;
};

const LIMIT = z.int().min(0).optional();
const READ_CHAT = z.strictObject({
  person: PERSON.optional().describe('with bot: the person of the private chat'),
  bot: BOT.optional().describe('with person: the bot of the private chat'),
  chat: CHAT.optional().describe('id of a group, supergroup or channel'),
  limit: LIMIT.describe('how many messages, the newest ones; all when not given'),
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
  (sim, { person, bot, chat: id, limit }): ShownChat => {
    if (person === undefined || bot === undefined) return showWhole(sim, chatOf(sim, id!), limit);
    const chat = sim.chats.get(privateKey(bot, person));
    if (chat === undefined) throw new ControlError(`there is no chat of person ${person} with bot ${bot}`);
    return showWhole(sim, chat, limit);
  },
);

export type ListedChat = Pick<ShownChat, 'id' | 'type' | 'title' | 'isForum'> & {
  /** The membership of the bot or the person, now or last. */
  status: string;
  last: ShownMessage | null;
};

const LISTED = oneOf(
  z.strictObject({
    bot: BOT.optional().describe('id of a bot: the chats that it is or was in'),
    person: PERSON.optional().describe('id of a person: the chats that they are or were in'),
    limit: LIMIT.describe('how many; 100 when not given'),
  }),
  'bot',
  'person',
);

export const listChats = operation(
  'Lists the groups, supergroups and channels of a bot or a person, each with its newest message; the newest chat first',
  { input: LISTED, example: { bot: 1_000_000_001 } },
  (sim, { bot, person, limit = 100 }): ListedChat[] =>
    [...sim.chats.values()]
      .flatMap((chat) => {
        const member = chat.person === null ? chat.members.get(bot ?? person ?? 0) : undefined;
        if (member === undefined || chat.migratedTo !== 0) return [];
        const { id, type, title, isForum } = chat;
        return [{ id, type, title, isForum, status: member.status, last: newest(chat, 1)[0] ?? null }];
      })
      .reverse()
      .sort((one, other) => (other.last?.date ?? 0) - (one.last?.date ?? 0))
      .slice(0, limit),
);

export function showWhole(sim: Simulator, chat: Chat, limit?: number): ShownChat {
  const { id, type, title, isForum, started, blocked, pinned, drafts, actions, keyboard } = chat;
  return {
    ...{ id, type, title, isForum, started, blocked, pinned, drafts, actions, keyboard },
    messages: newest(chat, limit).map((message) => withFile(sim, message)),
    members: [...chat.members.values()].map(({ user, status }) => ({
      ...{ id: user.id, status, username: user.username ?? '', isBot: user.is_bot },
      name: [user.first_name, user.last_name].filter(Boolean).join(' '),
    })),
    topics: Object.values(chat.topics).map(({ message_thread_id: topic, name, isClosed }) => ({
      topic,
      name,
      isClosed,
    })),
    reactions: [...chat.reactions].flatMap(([messageId, byUser]) =>
      [...byUser].map(([by, emoji]) => ({ messageId, by, emoji: emoji.flatMap(emojiOf) })),
    ),
    nowMs: sim.clock.nowMs(),
  };
}

function newest(chat: Chat, limit = chat.messages.size): ShownMessage[] {
  return [...chat.messages.values()].slice(Math.max(0, chat.messages.size - limit));
}

function withFile(sim: Simulator, message: ShownMessage): ShownMessage & { file?: ShownFile } {
  const media = mediaOf(message);
  const file = media === null ? undefined : sim.files.get(media.fileId);
  if (file === undefined) return message;
  return { ...message, file: showFile(file) };
}

function emojiOf(reaction: unknown): string[] {
  const { emoji } = reaction as { emoji?: unknown };
  return typeof emoji === 'string' ? [emoji] : [];
}
