import type { SimBot } from '../bots/sim-bot.ts';
import { type Chat, type Message, privateKey } from '../chats/chat.ts';
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

export function userOf(sim: Simulator, id: number): User {
  return sim.bots.get(id)?.user ?? personOf(sim, id);
}

/** The chat in which a person writes to `to`: a bot's id (their private chat) or a group's or channel's id. */
export function chatOf(sim: Simulator, personId: number, to: number): Chat {
  const bot = sim.bots.get(to);
  if (bot !== undefined) return openPrivateChat(sim, bot, personOf(sim, personId));
  const chat = sim.chats.get(String(to)) ?? sim.chats.get(privateKey(to, personId));
  if (chat === undefined) throw new ControlError(`there is no chat ${to}`);
  return chat;
}

export function messageOf(chat: Chat, id: number): Message {
  const message = chat.messages.get(id);
  if (message === undefined) throw new ControlError(`there is no message ${id} in chat ${chat.id}`);
  return message;
}
