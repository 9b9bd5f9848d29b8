import { badRequest } from '../bot-api-error.ts';
import type { SimBot } from '../bots/sim-bot.ts';
import type { Simulator } from '../simulator.ts';
import type { Chat } from './chat.ts';
import { newChat } from './open-chat.ts';
import type { User } from './user.ts';

/** A business account that lets a bot act for it, as the Bot API shows it. */
export type BusinessConnection = {
  id: string;
  user: User;
  user_chat_id: number;
  date: number;
  rights: Record<string, boolean>;
  is_enabled: boolean;
};

export function connectionKey(id: string): string {
  return `business connection ${id}`;
}

export function findConnection(bot: SimBot, id: string): BusinessConnection {
  const connection = bot.settings[connectionKey(id)] as BusinessConnection | undefined;
  if (connection === undefined) throw badRequest('business connection not found');
  return connection;
}

/** The chat of a business account with a customer, as the bot of the connection sees it; made at its first message. */
export function openBusinessChat(sim: Simulator, connection: BusinessConnection, customer: User): Chat {
  const key = businessKey(connection.id, customer.id);
  const known = sim.chats.get(key);
  if (known !== undefined) return known;
  const chat = newChat(key, customer.id, 'private', '');
  // Without a bot it has ids of messages of its own, and nobody gets them as usual messages.
  Object.assign(chat, { person: customer, business: connection.id, started: true });
  sim.chats.set(key, chat);
  sim.storage.saveChat(chat);
  return chat;
}

export function businessKey(connectionId: string, customerId: number | string): string {
  return `business:${connectionId}:${customerId}`;
}

export function writtenForBusiness(bot: SimBot, chat: Chat): Record<string, unknown> {
  if (chat.business === '') return {};
  const { user } = findConnection(bot, chat.business);
  return { business_connection_id: chat.business, from: user, sender_business_bot: bot.user };
}
