import { setTimeout as delay } from 'node:timers/promises';
import type { Conversation } from '@flotilla/domain/records/chats/conversation.ts';
import { findPlaceOfId, positionOf } from '@flotilla/domain/records/history/find-message-position.ts';
import { type Message, type MessageCursor, messageStore } from '@flotilla/domain/records/messages/message-store.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { presentMessage } from '../endpoints/present-message.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import { FOREIGN_NOTE, shownMessage } from './foreign-text.ts';
import type { ToolCall } from './tool.ts';

const LOOK_EVERY_MS = 1_000;

type Page = { note: string; messages: ReturnType<typeof shownMessage>[]; has_more: boolean };
type Limited = { limit: number };

/** Messages older than one, or the newest, newest first. */
export async function olderMessages(
  call: ToolCall,
  chat: Conversation,
  { beforeId, limit }: Limited & { beforeId?: number | undefined },
): Promise<Page> {
  const before = beforeId === undefined ? null : await placeOf(call, chat, beforeId);
  const query = { limit: limit + 1, offset: 0, before, include_deleted: false, filter: filterOf(chat) };
  return pageOf(call, chat, await messageStore(call.context.db).list(chat, query), limit);
}

/** Messages newer than one, oldest first. */
export async function newerMessages(
  call: ToolCall,
  chat: Conversation,
  { afterId, limit }: Limited & { afterId: number },
): Promise<Page> {
  const query = {
    after: await placeOf(call, chat, afterId),
    limit: limit + 1,
    include_deleted: false,
    filter: filterOf(chat),
  };
  return pageOf(call, chat, await messageStore(call.context.db).listAfter(chat, query), limit);
}

/**
 * Waits for messages of people that are newer than one, oldest first; without one (0), the newest that are there. It reads the
 * history again and again, so that it keeps nothing for a client that does not come back.
 */
export async function waitForMessages(
  call: ToolCall,
  chat: Conversation,
  { afterId, limit, timeout_s }: Limited & { afterId: number; timeout_s: number },
): Promise<Page> {
  const untilMs = performance.now() + timeout_s * 1000;
  const store = messageStore(call.context.db);
  const shown = { include_deleted: false, filter: { ...filterOf(chat), outgoing: false } };
  const newest = { limit, offset: 0, before: null };
  if (afterId === 0) {
    const there = await store.list(chat, { ...newest, ...shown });
    if (there.length > 0) return pageOf(call, chat, there.reverse(), limit);
  }
  const after = afterId === 0 ? await endOf(call, chat) : await placeOf(call, chat, afterId);
  while (true) {
    const newer = await store.listAfter(chat, { ...shown, after, limit: limit + 1 });
    const leftMs = untilMs - performance.now();
    if (newer.length > 0 || leftMs <= 0 || call.ended.aborted) return pageOf(call, chat, newer, limit);
    await delay(Math.min(LOOK_EVERY_MS, leftMs), undefined, { signal: call.ended }).catch(() => undefined);
  }
}

/** Business connections have private chats only. */
function filterOf({ chat_id, business_connection_id }: Conversation) {
  return chat_id > 0 ? { business_connection_id } : {};
}

/** The place behind the newest message. */
async function endOf({ context }: ToolCall, chat: Conversation): Promise<MessageCursor> {
  const newest = { limit: 1, offset: 0, before: null, include_deleted: true, filter: filterOf(chat) };
  const [last] = await messageStore(context.db).list(chat, newest);
  return last === undefined ? [0, 0, 0, chat.business_connection_id] : positionOf(last);
}

async function placeOf({ context }: ToolCall, chat: Conversation, id: number): Promise<MessageCursor> {
  const place = await findPlaceOfId(context.db, chat, id);
  if (place !== null) return place;
  throw new FlotillaError('not_found', 'This message is gone: name the one before it');
}

function pageOf(call: ToolCall, { bot_id }: Conversation, rows: Message[], limit: number): Page {
  const bot = requireBot(call.context, bot_id);
  const messages = rows.slice(0, limit).map((row) => shownMessage(presentMessage(bot, row)));
  return { note: FOREIGN_NOTE, messages, has_more: rows.length > limit };
}
