import { type ChatList, MOST_CHAT_LISTS, MOST_LISTED_CHATS } from '@flotilla/contract/lists.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Tables } from '@flotilla/database/tables.ts';
import { type SelectQueryBuilder, sql } from 'kysely';

/** Whose lists: those of an account, or of all. */
export type ListScope = { accountId: number } | 'all';

type Room = { lists: number; chats: number };

/** The room of an account is full: it has so many lists, or chats in them. */
export function isFull({ lists, chats }: Room): boolean {
  return lists > MOST_CHAT_LISTS || chats > MOST_LISTED_CHATS;
}

function roomOf(lists: SelectQueryBuilder<Tables, 'chat_lists', object>): Promise<Room> {
  return lists
    .select((row) => [
      row.fn.countAll<number>().as('lists'),
      row.fn.coalesce(row.fn.sum<number>('size'), sql<number>`0`).as('chats'),
    ])
    .executeTakeFirstOrThrow();
}

/** SQL of lists of chats. A list that is being removed is none. */
export function chatListStore(db: Database) {
  const seen = (scope: ListScope) => {
    const kept = db.selectFrom('chat_lists').where('removed_at', 'is', null);
    return scope === 'all' ? kept : kept.where('account_id', '=', scope.accountId);
  };
  return {
    insert(list: Pick<ChatList, 'name' | 'account_id' | 'created_by'>): Promise<ChatList> {
      return db.insertInto('chat_lists').values(list).returningAll().executeTakeFirstOrThrow();
    },

    async find(scope: ListScope, id: number): Promise<ChatList | null> {
      return (await seen(scope).where('id', '=', id).selectAll().executeTakeFirst()) ?? null;
    },

    /** The same; until the end of the transaction nobody removes it. */
    async lock(scope: ListScope, id: number): Promise<ChatList | null> {
      return (await seen(scope).where('id', '=', id).selectAll().forNoKeyUpdate().executeTakeFirst()) ?? null;
    },

    /** Newest first; `beforeId` starts below that list. */
    list(scope: ListScope, page: { limit: number; offset: number; beforeId: number | null }): Promise<ChatList[]> {
      let rows = seen(scope).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset);
      if (page.beforeId !== null) rows = rows.where('id', '<', page.beforeId);
      return rows.execute();
    },

    /** How many lists there are, and chats in them. */
    count(scope: ListScope): Promise<Room> {
      return roomOf(seen(scope));
    },

    /**
     * How many lists of an account have rows, and chats in them; those that are being removed count, too. Another
     * transaction that asks waits until this one has ended.
     */
    async countLocked(accountId: number): Promise<Room> {
      await db.selectFrom('accounts').select('id').where('id', '=', accountId).forUpdate().execute();
      return roomOf(db.selectFrom('chat_lists').where('account_id', '=', accountId));
    },

    /** Adds those that it lacks. */
    async append(id: number, chatIds: readonly number[]): Promise<void> {
      await sql`
        insert into chat_list_entries (list_id, chat_id)
        select ${id}::bigint, chat_id from unnest(${chatIds}::bigint[]) as given (chat_id) order by chat_id
        on conflict do nothing`.execute(db);
      await this.noteUse(id);
    },

    async noteUse(id: number): Promise<void> {
      await sql`update chat_lists set used_at = now() where id = ${id}`.execute(db);
    },

    /** A broadcast that has not made all its entries. */
    async isAwaited(id: number): Promise<boolean> {
      const { rows } = await sql`
        select from broadcasts where ended_at is null and not made and audience ->> 'list_id' = ${String(id)} limit 1`.execute(
        db,
      );
      return rows.length > 0;
    },

    /** From then on nobody sees it; retention removes its rows. */
    async remove(id: number): Promise<void> {
      await sql`update chat_lists set removed_at = now() where id = ${id}`.execute(db);
    },
  };
}
