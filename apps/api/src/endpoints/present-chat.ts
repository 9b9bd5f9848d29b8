import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { Chat } from '@flotilla/domain/records/chats/chat-store.ts';
import { type Conversation, connectionParam } from '@flotilla/domain/records/chats/conversation.ts';
import type { InboxChat, LastMessage } from '@flotilla/domain/records/chats/inbox-store.ts';
import { type HeldChat, heldKey, MISSED_LIFE_MS, readHolds } from '@flotilla/domain/records/takeover/held-chats.ts';
import type { Context } from '../context.ts';
import { type Senders, sendersOf } from './senders-of.ts';
import { withoutNulls } from './without-nulls.ts';

type Held = ReadonlyMap<string, HeldChat>;

/** Chats with what Redis knows of them; without Redis, nobody is said to have taken them over. */
export async function presentChats(context: Context, chats: readonly Chat[]): Promise<ChatResource[]> {
  const held = await heldAmong(context, chats);
  return chats.map((chat) => presentOne(chat, held));
}

export async function presentChat(context: Context, chat: Chat): Promise<ChatResource> {
  return presentOne(chat, await heldAmong(context, [chat]));
}

/** The same for the inbox of an account. */
export async function presentInbox(context: Context, inbox: readonly InboxChat[]): Promise<ChatResource[]> {
  const [held, senders] = await Promise.all([
    heldAmong(
      context,
      inbox.map(({ chat }) => chat),
    ),
    sendersOf(context, inbox.flatMap(lastOf)),
  ]);
  return inbox.map(({ chat, last_message, unread, read_message_id, waitingSinceS }) => ({
    ...presentOne(chat, held),
    ...botOf(context, chat.bot_id),
    ...(last_message === null ? {} : { last_message: presentLastMessage(context, chat, last_message, senders) }),
    unread,
    ...withoutNulls({ read_message_id }),
    ...(waitingSinceS === null ? {} : { waiting_since: new Date(waitingSinceS * 1000).toISOString() }),
  }));
}

function botOf({ directory }: Context, botId: number): Pick<ChatResource, 'bot_name' | 'bot_username'> {
  const bot = directory.byId(botId);
  return bot === undefined ? {} : { bot_name: bot.name, bot_username: bot.username };
}

function heldAmong(context: Context, chats: readonly Chat[]): Promise<Held> {
  const keys = chats.map(conversationOfRow);
  return readHolds(context, keys).catch((error: unknown): Held => {
    context.log.debug({ reason: String(error) }, 'whether chats are taken over cannot be read');
    return new Map();
  });
}

function presentOne(chat: Chat, held: Held): ChatResource {
  const hold = held.get(heldKey(conversationOfRow(chat)));
  return {
    id: chat.id,
    bot_id: chat.bot_id,
    type: chat.type as ChatResource['type'],
    ...withoutNulls({
      title: chat.title ?? nameOfPerson(chat),
      username: chat.username,
      first_name: chat.first_name,
      last_name: chat.last_name,
      migrated_to_chat_id: chat.migrated_to_chat_id,
    }),
    message_count: chat.message_count,
    blocked: chat.blocked_at !== null,
    ...connectionParam(chat.business_connection_id),
    state: chat.is_done ? 'done' : 'open',
    awaits_answer: chat.awaits_answer,
    ...withoutNulls({ assigned_to: chat.assigned_to, assigned_to_name: chat.assigned_to_name }),
    ...(hold === undefined ? {} : presentHold(hold)),
  };
}

function presentHold({ untilMs, isHeld, by, missed }: HeldChat) {
  return isHeld
    ? { held_until: new Date(untilMs).toISOString(), held_by: by, missed }
    : { missed, missed_until: new Date(untilMs + MISSED_LIFE_MS).toISOString() };
}

function lastOf({ chat, last_message }: InboxChat) {
  return last_message === null ? [] : [{ ...last_message, bot_id: chat.bot_id, chat_id: chat.id }];
}

function presentLastMessage(
  { directory }: Context,
  { bot_id, id: chat_id }: Chat,
  last: LastMessage,
  senders: Senders,
): NonNullable<ChatResource['last_message']> {
  const { business_connection_id: of, ...message } = last;
  const program = directory.byId(bot_id)?.programs.find(({ id }) => id === last.program_id);
  return {
    ...withoutNulls(message),
    ...(program && { program: program.name }),
    ...senders({ ...last, bot_id, chat_id }),
    ...connectionParam(of),
  } as NonNullable<ChatResource['last_message']>;
}

function conversationOfRow({ bot_id, id, business_connection_id }: Chat): Conversation {
  return { bot_id, chat_id: id, business_connection_id };
}

/** A private chat has no title, so it gets the name of its person. A deleted account has no name. */
function nameOfPerson({ type, first_name, last_name, username }: Chat): string | null {
  if (type !== 'private') return null;
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return name || username || 'Deleted account';
}
