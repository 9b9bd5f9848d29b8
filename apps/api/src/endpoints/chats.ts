import type { chatOperations } from '@flotilla/contract/chat-operations.ts';
import { CHAT_QUEUES, type ChatQueue } from '@flotilla/contract/chat-queues.ts';
import {
  type ChatResource,
  MOST_UNREAD_CHATS,
  RECENT_CHATS,
  UNREAD_AMONG,
  UNREAD_AMONG_OF_BOT,
} from '@flotilla/contract/chats.ts';
import { DESK_LOG_ENTRIES, type DeskEntryResource } from '@flotilla/contract/desk-log.ts';
import { OK } from '@flotilla/contract/fields.ts';
import { outboxStore } from '@flotilla/domain/delivery/outbox/outbox-store.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { type Scope, within } from '@flotilla/domain/people/accounts/scope.ts';
import { recordAction } from '@flotilla/domain/people/audit/record-action.ts';
import { listPinnedMessages } from '@flotilla/domain/records/chat-actions/list-pinned-messages.ts';
import { refreshChat } from '@flotilla/domain/records/chat-actions/refresh-chat.ts';
import { type DeskFilter, queueFilter } from '@flotilla/domain/records/chats/chat-desk.ts';
import { type ChatFilter, type ChatPage, chatStore } from '@flotilla/domain/records/chats/chat-store.ts';
import type { Conversation } from '@flotilla/domain/records/chats/conversation.ts';
import { deleteChat } from '@flotilla/domain/records/chats/delete-chat.ts';
import type { InboxQuery } from '@flotilla/domain/records/chats/inbox-page.ts';
import { inboxStore } from '@flotilla/domain/records/chats/inbox-store.ts';
import { markChatRead } from '@flotilla/domain/records/chats/mark-chat-read.ts';
import { topicStore } from '@flotilla/domain/records/chats/topic-store.ts';
import { readDeskLog } from '@flotilla/domain/records/desk/desk-log.ts';
import { notePresence } from '@flotilla/domain/records/desk/presence.ts';
import { endHolds, findHeldChats, findHoldsOf } from '@flotilla/domain/records/takeover/held-chats.ts';
import { announceChatRead, type ChatRead } from '@flotilla/domain/watch/live/chat-reads.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor, type Page } from '../http/page.ts';
import { requireBot, requireManagedBot, scopeIn } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { accountOf } from './account-of.ts';
import { conversationOf } from './conversation-of.ts';
import { presentNote } from './notes.ts';
import { presentChat, presentChats, presentInbox } from './present-chat.ts';

export const chatHandlers: Handlers<typeof chatOperations> = {
  async listChats(context, { input, caller }) {
    const { q = '', type, limit, offset, before, unread } = input;
    const scope = scopeIn(context, caller, input.bot_id);
    const assigned_to = input.assigned_to === 'me' ? caller.account.id : input.assigned_to;
    const { state, awaits_answer } = input;
    const held = await heldFilter(context, caller, input);
    const desk = { assigned_to, state, awaits_answer, held };
    const filter: ChatFilter = { q, type, tag: input.tag, ...(await queued(context, caller, input.queue, desk)) };
    if (input.order === 'id' && unread) throw refusedInput('unread', 'is not for order=id');
    if (input.order === 'waiting' && before !== undefined) throw refusedInput('before', 'is not for order=waiting');
    if (input.order === 'id') return chatsById(context, scope, filter, { limit, offset }, before);
    const byWaiting = input.order === 'waiting';
    const waits = byWaiting ? { awaits_answer: true } : {};
    const wanted = { ...filter, ...waits, unread, accountId: caller.account.id, byWaiting };
    return recentChats(context, scope, { ...wanted, limit: Math.min(limit, RECENT_CHATS), offset }, before);
  },

  async showChat(context, { input, caller }) {
    const chat = await conversationOf(context, requireBot(context, input.bot_id), input);
    if (input.viewing) await noteViewing(context, caller, chat);
    const [found, pinned, topic_count, scheduled_count, desk_log] = await Promise.all([
      inboxStore(context.db).find(caller.account.id, chat),
      listPinnedMessages(context, chat),
      topicStore(context.db).count(chat),
      outboxStore(context.db).count(caller.scope, { bot_id: chat.bot_id, chat_id: chat.chat_id, state: 'scheduled' }),
      showDeskLog(context, chat),
    ]);
    if (found === null) throw new FlotillaError('not_found', 'The bot has not seen this chat');
    const [shown] = await presentInbox(context, [found]);
    return { ...shown!, pinned_message_ids: pinned, topic_count, scheduled_count, desk_log };
  },

  async countChatQueues(context, { input, caller }) {
    const scope = input.bot_ids === undefined ? caller.scope : within(caller.scope, input.bot_ids);
    const held = await findHeldChats(context);
    const filters = CHAT_QUEUES.map((queue) => [queue, queueFilter(queue, caller.account.id, held)]);
    return inboxStore(context.db).countQueues(scope, Object.fromEntries(filters));
  },

  async countUnreadChats(context, { caller }) {
    const limits = { among: UNREAD_AMONG, amongOfBot: UNREAD_AMONG_OF_BOT, most: MOST_UNREAD_CHATS };
    const chats = await inboxStore(context.db).countUnread(caller.scope, caller.account.id, limits);
    return { chats };
  },

  async markChatRead(context, { input, caller }) {
    const chat = await conversationOf(context, requireBot(context, input.bot_id), input);
    const [accountId, read] = [caller.account.id, { ...chat, message_id: input.message_id }];
    const hasMoved = await markChatRead(context.db, accountId, read);
    if (hasMoved) await tellReader(context, { accountId, ...read });
    return OK;
  },

  async refreshChat(context, { input }) {
    return presentChat(context, await refreshChat(context, requireBot(context, input.bot_id), input.chat_id));
  },

  async deleteChat(context, { input, by }) {
    const bot = requireManagedBot(context, input.bot_id);
    // While Redis is away nothing is deleted: a hold, and what it keeps, would stay behind.
    await findHoldsOf(context, bot, input.chat_id);
    await deleteChat(context, by, bot.id, input.chat_id);
    // Some of them may be of this chat.
    await context.redis.commands.del(botKeys(bot.id).recent);
    for (const held of await endHolds(context, bot, input.chat_id)) {
      await recordAction(context, by, { action: 'chat_release', bot_id: bot.id, ...held, details: '' });
    }
    return OK;
  },
};

async function showDeskLog({ db }: Context, chat: Conversation): Promise<DeskEntryResource[]> {
  const { acts, notes } = await readDeskLog(db, chat, DESK_LOG_ENTRIES);
  const noted = notes.map((one) => ({ date: Math.floor(one.created_at.getTime() / 1000), note: presentNote(one) }));
  return [...noted, ...acts].toSorted((one, other) => other.date - one.date).slice(0, DESK_LOG_ENTRIES);
}

/** The filter of a queue; without one, what is given beside it. Throws 'bad_request' for both. */
async function queued(
  context: Context,
  { account }: Caller,
  queue: ChatQueue | undefined,
  desk: DeskFilter,
): Promise<DeskFilter> {
  if (queue === undefined) return desk;
  if (Object.values(desk).some((given) => given !== undefined)) {
    throw refusedInput('queue', 'cannot be used with assigned_to, state, awaits_answer, held or held_by');
  }
  return queueFilter(queue, account.id, queue === 'held' ? await findHeldChats(context) : []);
}

async function heldFilter(
  context: Context,
  { account }: Caller,
  { held, held_by }: { held?: boolean | undefined; held_by?: string | undefined },
): Promise<ChatFilter['held']> {
  if (held_by === undefined) {
    return held === undefined ? undefined : { chats: await findHeldChats(context), isHeld: held };
  }
  if (held === false) throw refusedInput('held', 'must not be false beside held_by');
  const by = held_by === 'me' ? `account:${account.username}` : held_by;
  return { chats: await findHeldChats(context, by), isHeld: true };
}

async function chatsById(
  context: Context,
  scope: Scope,
  filter: ChatFilter,
  { limit, offset }: Omit<ChatPage, 'after'>,
  before: string | undefined,
): Promise<Page<ChatResource>> {
  const after = decodeCursor(before, ['id', 'platformId', 'text']);
  const chats = chatStore(context.db);
  const [rows, total] = await Promise.all([
    chats.list(scope, filter, { limit: limit + 1, offset, after }),
    chats.count(scope, filter),
  ]);
  return cutPage(await presentChats(context, rows), limit, total, (chat) => [
    chat.bot_id,
    chat.id,
    chat.business_connection_id ?? '',
  ]);
}

async function recentChats(
  context: Context,
  scope: Scope,
  query: Omit<InboxQuery, 'before'>,
  before: string | undefined,
): Promise<Page<ChatResource>> {
  const cursor = decodeCursor(before, ['seconds', 'id', 'platformId', 'text']);
  const { chats, total } = await inboxStore(context.db).list(scope, {
    ...query,
    limit: query.limit + 1,
    before: cursor,
  });
  const page = cutPage(chats, query.limit, total, ({ chat }) => [
    chat.last_date,
    chat.bot_id,
    chat.id,
    chat.business_connection_id,
  ]);
  return { ...page, ...(query.byWaiting ? { next: null } : {}), rows: await presentInbox(context, page.rows) };
}

/** The chat is shown, even if nobody is told who looks at it. */
async function noteViewing(context: Context, caller: Caller, chat: Conversation): Promise<void> {
  await notePresence(context, chat, accountOf(caller), 'viewing').catch((error: unknown) => {
    context.log.debug({ reason: String(error) }, 'who looks at a chat cannot be told');
  });
}

/** The marker is stored, so the call succeeds even if other pages of the account are told late. */
async function tellReader(context: Context, read: ChatRead): Promise<void> {
  await announceChatRead(context, read).catch((error: unknown) => {
    context.log.debug({ reason: String(error) }, 'a read marker cannot be announced');
  });
}
