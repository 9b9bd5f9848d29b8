import type { Chat, Message } from '../chats/chat.ts';
import type { Simulator } from '../simulator.ts';

const KEPT_MESSAGES = 20_000;

/** Stores a message and drops the oldest one of a large chat; otherwise a benchmark would fill memory. */
export function keepMessage(sim: Simulator, chat: Chat, message: Message): void {
  chat.messages.set(message.message_id, message);
  sim.storage.saveMessage(chat, message);
  if (chat.messages.size <= KEPT_MESSAGES) return;
  const oldest = chat.messages.keys().next().value;
  if (oldest !== undefined) forgetMessage(sim, chat, oldest);
}

export function forgetMessage(sim: Simulator, chat: Chat, id: number): void {
  if (chat.messages.delete(id)) sim.storage.removeMessage(chat, id);
}
