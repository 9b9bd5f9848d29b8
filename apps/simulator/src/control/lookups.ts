import type { SimBot } from '../bots/sim-bot.ts';
import type { Chat, Message } from '../chats/chat.ts';
import { openPrivateChat } from '../chats/open-chat.ts';
import type { User } from '../chats/user.ts';
import type { Simulator } from '../simulator.ts';
import { ControlError } from './control-error.ts';

export function botOf(sim: Simulator, id: number): SimBot {
  const bot = sim.bots.get(id);
  if (bot === undefined) throw new ControlError(`there is no bot ${id}`);
  return bot;
}

export function personOf(sim: Simulator, id: number): User {
  const person = sim.people.get(id);
  if (person === undefined) throw new ControlError(`there is no person ${id}`);
  return person;
}

/** The person or the bot, whichever id is given. */
export function userOf(
  sim: Simulator,
  { person, bot }: { person?: number | undefined; bot?: number | undefined },
): User {
  return bot === undefined ? personOf(sim, person!) : botOf(sim, bot).user;
}

export function chatOf(sim: Simulator, id: number): Chat {
  const chat = sim.chats.get(String(id));
  if (chat !== undefined) return chat;
  const isBot = sim.bots.has(id) ? `: ${id} is a bot, whose private chats go by "bot"` : '';
  throw new ControlError(`there is no chat ${id}${isBot}`);
}

export type Place = { person: number; bot?: number | undefined; chat?: number | undefined };

/** Resolves where a person acts: the private chat with `bot`, or `chat` unless the person is banned there. */
export function placeOf(sim: Simulator, { person, bot, chat: id }: Place): { person: User; chat: Chat } {
  const user = personOf(sim, person);
  if (bot !== undefined) return { person: user, chat: openPrivateChat(sim, botOf(sim, bot), user) };
  const chat = chatOf(sim, id!);
  refuseBanned(chat, user);
  return { person: user, chat };
}

export function refuseBanned(chat: Chat, { id }: User): void {
  if (chat.members.get(id)?.status === 'kicked') throw new ControlError(`person ${id} is banned from chat ${chat.id}`);
}

/** Like placeOf, but the person must also have the right to write there. */
export function writingPlaceOf(sim: Simulator, place: Place): { person: User; chat: Chat } {
  const found = placeOf(sim, place);
  const member = found.chat.members.get(place.person);
  if (member?.status === 'restricted' && member.permissions.can_send_messages !== true) {
    throw new ControlError(`person ${place.person} is restricted and may not write in chat ${found.chat.id}`);
  }
  return found;
}

/** A bot may write to a person only after the person has written first. */
export function markStarted(sim: Simulator, chat: Chat): void {
  if (chat.started) return;
  chat.started = true;
  sim.storage.saveChat(chat);
}

export function messageOf(chat: Chat, id: number): Message {
  const message = chat.messages.get(id);
  if (message === undefined) throw new ControlError(`there is no message ${id} in chat ${chat.id}`);
  return message;
}
