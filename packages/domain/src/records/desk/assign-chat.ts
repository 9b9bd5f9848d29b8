import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { accountStore } from '../../people/accounts/account-store.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { type Chat, chatStore } from '../chats/chat-store.ts';
import type { Conversation } from '../chats/conversation.ts';
import { deskStore } from './desk-store.ts';

export type DeskDeps = { db: Database; clock: Clock };

/** Gives a chat to an account that has its bot, or to nobody. Throws 'not_found' (the chat) or 'bad_request' (the account). */
export async function assignChat(
  { db, clock }: DeskDeps,
  by: Actor,
  chat: Conversation,
  accountId: number | null,
): Promise<Chat> {
  return db.transaction().execute(async (transaction) => {
    const desk = deskStore(transaction);
    const before = await desk.lock(chat);
    if (before === null) throw new FlotillaError('not_found', 'Chat not found');
    const candidates = accountId === null ? [] : await desk.assignees(chat.bot_id);
    if (accountId !== null && !candidates.some(({ id }) => id === accountId)) {
      throw refusedInput('account_id', 'must be an account that has the bot');
    }
    await desk.assign(chat, accountId);
    const [old, now] = await Promise.all([before.assigned_to, accountId].map((id) => nameOf(transaction, id)));
    await recordAction({ db: transaction, clock }, by, {
      ...{ action: 'chat_assign', ...chat, details: `assigned to: ${old} → ${now}` },
      target: accountId === null ? null : { kind: 'account', id: accountId },
    });
    return requireChat(transaction, chat);
  });
}

async function nameOf(db: Database, accountId: number | null): Promise<string> {
  if (accountId === null) return 'nobody';
  return (await accountStore(db).findById(accountId))?.username ?? `account ${accountId}`;
}

export async function requireChat(db: Database, conversation: Conversation): Promise<Chat> {
  const chat = await chatStore(db).find(conversation);
  if (chat === null) throw new FlotillaError('not_found', 'Chat not found');
  return chat;
}
