import { type ChatList, LONGEST_CHAT_LIST, MOST_CHAT_LISTS, MOST_LISTED_CHATS } from '@flotilla/contract/lists.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { chatListStore, isFull, type ListScope } from './chat-list-store.ts';

type ListDeps = { db: Database; clock: Clock };
type Owner = Pick<ChatList, 'account_id' | 'created_by'> & { account_id: number };

/** Throws 'conflict' if the account has too many. */
export async function addChatList({ db, clock }: ListDeps, by: Actor, owner: Owner, name: string): Promise<ChatList> {
  return db.transaction().execute(async (transaction) => {
    const store = chatListStore(transaction);
    const list = await store.insert({ ...owner, name });
    await requireRoom(transaction, owner.account_id);
    const done = { action: 'list_add', details: `list ${list.id}; name: ${JSON.stringify(name)}` } as const;
    await recordAction({ db: transaction, clock }, by, done);
    return list;
  });
}

/** Throws 'not_found', or 'conflict' if the list or the lists of its account would be too long. */
export async function appendToChatList(
  { db, clock }: ListDeps,
  by: Actor,
  scope: ListScope,
  { id, chat_ids }: { id: number; chat_ids: readonly number[] },
): Promise<ChatList> {
  return db.transaction().execute(async (transaction) => {
    const store = chatListStore(transaction);
    const before = await requireList(transaction, scope, id);
    await store.append(id, chat_ids);
    const list = await requireList(transaction, scope, id);
    if (list.size > LONGEST_CHAT_LIST) throw conflict(`A list has ${LONGEST_CHAT_LIST} chats at most`);
    if (list.account_id !== null) await requireRoom(transaction, list.account_id);
    const details = `list ${id}; chats: ${list.size - before.size} new of ${chat_ids.length}`;
    await recordAction({ db: transaction, clock }, by, { action: 'list_append', details });
    return list;
  });
}

/** Throws 'not_found', or 'conflict' while a broadcast has yet to read it. */
export async function deleteChatList({ db, clock }: ListDeps, by: Actor, scope: ListScope, id: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { name } = await requireList(transaction, scope, id);
    const store = chatListStore(transaction);
    if (await store.isAwaited(id)) throw conflict('A broadcast that has not read the list needs it; cancel it first');
    await store.remove(id);
    const done = { action: 'list_delete', details: `list ${id}; name: ${JSON.stringify(name)}` } as const;
    await recordAction({ db: transaction, clock }, by, done);
  });
}

async function requireList(db: Database, scope: ListScope, id: number): Promise<ChatList> {
  const list = await chatListStore(db).lock(scope, id);
  if (list === null) throw new FlotillaError('not_found', 'List not found');
  return list;
}

async function requireRoom(db: Database, accountId: number): Promise<void> {
  if (!isFull(await chatListStore(db).countLocked(accountId))) return;
  throw conflict(
    `An account has ${MOST_CHAT_LISTS} lists and ${MOST_LISTED_CHATS} chats in them at most; delete one, which makes room within an hour`,
  );
}

function conflict(sentence: string): FlotillaError {
  return new FlotillaError('conflict', sentence);
}
