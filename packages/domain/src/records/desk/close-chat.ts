import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import type { Chat } from '../chats/chat-store.ts';
import type { Conversation } from '../chats/conversation.ts';
import { type DeskDeps, requireChat } from './assign-chat.ts';
import { deskStore } from './desk-store.ts';

/** Marks a chat as done, until a person writes again, or as open. Throws 'not_found'. */
export async function closeChat(
  { db, clock }: DeskDeps,
  by: Actor,
  chat: Conversation,
  isDone: boolean,
): Promise<Chat> {
  return db.transaction().execute(async (transaction) => {
    const desk = deskStore(transaction);
    if ((await desk.lock(chat)) === null) throw new FlotillaError('not_found', 'Chat not found');
    await desk.close(chat, isDone);
    await recordAction({ db: transaction, clock }, by, { action: isDone ? 'chat_done' : 'chat_reopen', ...chat });
    return requireChat(transaction, chat);
  });
}
