import type { SimBot } from '../bots/sim-bot.ts';
import type { Chat, Message } from '../chats/chat.ts';
import type { User } from '../chats/user.ts';
import type { SimFile } from '../files/sim-file.ts';
import type { InlineMessage, OpenQuery, SentPoll } from '../messages/queries-and-polls.ts';
import type { PendingUpdate } from '../updates/update-queue.ts';

/**
 * Stores the simulator's state. Code that changes something calls a `save…` function; `commit` makes all changes
 * durable and must be called before a result leaves the process.
 */
export type Storage = {
  saveBot(bot: SimBot): void;
  savePerson(person: User): void;
  saveChat(chat: Chat): void;
  saveMessage(chat: Chat, message: Message): void;
  removeMessage(chat: Chat, messageId: number): void;
  saveUpdate(bot: SimBot, update: PendingUpdate): void;
  removeUpdate(bot: SimBot, update: PendingUpdate): void;
  saveFile(file: SimFile): void;
  saveQuery(id: string, query: OpenQuery): void;
  savePoll(id: string, poll: SentPoll): void;
  saveInlineMessage(id: string, message: InlineMessage): void;
  /** Saves the counters for ids, and the clock. */
  saveCounters(): void;
  commit(): void;
  close(): void;
};

const nothing = () => {};

/** Stores nothing: the state lives in memory only. */
export const NO_STORAGE: Storage = {
  saveBot: nothing,
  savePerson: nothing,
  saveChat: nothing,
  saveMessage: nothing,
  removeMessage: nothing,
  saveUpdate: nothing,
  removeUpdate: nothing,
  saveFile: nothing,
  saveQuery: nothing,
  savePoll: nothing,
  saveInlineMessage: nothing,
  saveCounters: nothing,
  commit: nothing,
  close: nothing,
};
