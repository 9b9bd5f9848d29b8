import type { SimBot } from '../bots/sim-bot.ts';
import type { Simulator } from '../simulator.ts';
import { ALL_PERMISSIONS, type Chat, type ChatType, everything, privateKey } from './chat.ts';
import type { User } from './user.ts';

/** The private chat of a person with a bot; creates the chat at first use. */
export function openPrivateChat(sim: Simulator, bot: SimBot, person: User): Chat {
  const key = privateKey(bot.user.id, person.id);
  const existing = sim.chats.get(key);
  if (existing !== undefined) return existing;
  const chat = newChat(key, person.id, 'private', '');
  Object.assign(chat, { person, botId: bot.user.id, username: person.username ?? '' });
  sim.chats.set(key, chat);
  sim.storage.saveChat(chat);
  return chat;
}

/** A new group, supergroup or channel without members. */
export function openSharedChat(
  sim: Simulator,
  type: Exclude<ChatType, 'private'>,
  title: string,
  wantedId?: number,
): Chat {
  const number = sim.nextChatNumber;
  sim.nextChatNumber += 1;
  sim.storage.saveCounters();
  const id = wantedId ?? (type === 'group' ? -number : -1_000_000_000_000 - number);
  const chat = newChat(String(id), id, type, title);
  sim.chats.set(chat.key, chat);
  sim.storage.saveChat(chat);
  return chat;
}

/** A chat without members, not yet registered with the simulator. */
export function newChat(key: string, id: number, type: ChatType, title: string): Chat {
  return {
    key,
    id,
    type,
    title,
    username: '',
    description: '',
    person: null,
    botId: 0,
    members: new Map(),
    messages: new Map(),
    nextMessageId: 1,
    pinned: [],
    permissions: everything(ALL_PERMISSIONS),
    reactions: new Map(),
    started: false,
    blocked: false,
    migratedTo: 0,
    photo: '',
    isForum: false,
    topics: {},
    general: { name: 'General', isClosed: false, isHidden: false },
    inviteLinks: [],
    joinRequests: [],
    drafts: {},
    business: '',
    actions: [],
    keyboard: null,
  };
}
