import { type NoteRow, note } from '@flotilla/contract/notes.ts';
import { type Filters, storable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { filtered } from '@flotilla/database/filtered.ts';
import { fold } from '@flotilla/database/search-words.ts';
import { sql } from 'kysely';
import { type Exact, type Scope, visibleTo } from '../../people/accounts/scope.ts';
import type { Conversation } from '../chats/conversation.ts';

/** A note, with the present name of its author; null: the account was deleted. */
export type Note = NoteRow & { account_name: string | null };

export type NewNote = Pick<
  NoteRow,
  ('bot_id' | 'chat_id' | 'business_connection_id') | ('account_id' | 'account' | 'text' | 'mentions' | 'unread_by')
>;

/** Undefined fields do not filter. */
export interface NoteQuery extends Filters<typeof note> {
  /** A part of the text; '' matches all. */
  q: string;
  /** Only notes that this account has not read. */
  unreadBy?: number | undefined;
}

/** SQL of notes. */
export function noteStore(db: Database) {
  const those = (scope: Scope, { q, unreadBy, ...query }: NoteQuery) => {
    let notes = db.selectFrom('notes').where(visibleTo(scope, 'bot_id')).where(filtered(note, query));
    if (q !== '') notes = notes.where('search_text', 'like', partOf(q));
    if (unreadBy !== undefined) notes = notes.where(isUnreadBy(unreadBy));
    return notes;
  };
  const find = async (id: number): Promise<Note | null> => {
    const found = db.selectFrom('notes').selectAll().select(AUTHOR_NAME).where('id', '=', id);
    return (await found.executeTakeFirst()) ?? null;
  };
  return {
    find,

    /** The same, locked until the transaction ends. */
    async lock(id: number): Promise<Note | null> {
      const found = db.selectFrom('notes').selectAll().select(AUTHOR_NAME).where('id', '=', id).forUpdate();
      return (await found.executeTakeFirst()) ?? null;
    },

    /** Newest first; `beforeId` starts below that note. */
    list<Given extends NoteQuery>(
      scope: Scope,
      query: Exact<NoteQuery, Given>,
      page: { limit: number; offset: number; beforeId: number | null },
    ): Promise<Note[]> {
      let rows = those(scope, query).selectAll().select(AUTHOR_NAME).orderBy('id', 'desc');
      if (page.beforeId !== null) rows = rows.where('id', '<', page.beforeId);
      return rows.limit(page.limit).offset(page.offset).execute();
    },

    async count<Given extends NoteQuery>(scope: Scope, query: Exact<NoteQuery, Given>): Promise<number> {
      const { count } = await those(scope, query)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    async countOf({ bot_id, chat_id, business_connection_id: connection }: Conversation): Promise<number> {
      const all = db.selectFrom('notes').where('bot_id', '=', bot_id).where('chat_id', '=', chat_id);
      const { count } = await all
        .where('business_connection_id', '=', connection)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    async insert(values: NewNote): Promise<Note> {
      const added = db.insertInto('notes').values({ ...storable(note, values), search_text: fold(values.text) });
      const { id } = await added.returning('id').executeTakeFirstOrThrow();
      return (await find(id))!;
    },

    async update(id: number, changes: Pick<NoteRow, 'text' | 'mentions' | 'unread_by' | 'edited_at'>): Promise<Note> {
      const set = { ...storable(note, changes), search_text: fold(changes.text) };
      await db.updateTable('notes').set(set).where('id', '=', id).execute();
      return (await find(id))!;
    },

    async remove(id: number): Promise<void> {
      await db.deleteFrom('notes').where('id', '=', id).execute();
    },

    async markRead({ bot_id, chat_id, business_connection_id }: Conversation, accountId: number): Promise<void> {
      await sql`
        update notes set unread_by = (
          select coalesce(jsonb_agg(each), '[]') from jsonb_array_elements(unread_by) each
          where each <> to_jsonb(${accountId}::bigint))
        where bot_id = ${bot_id} and chat_id = ${chat_id} and business_connection_id = ${business_connection_id} and ${isUnreadBy(accountId)}`.execute(
        db,
      );
    },
  };
}

export const AUTHOR_NAME = sql<string | null>`(
  select coalesce(nullif(a.display_name, ''), a.username) from accounts a where a.id = notes.account_id)`.as(
  'account_name',
);

/** The first condition lets Postgres use the index of notes that somebody has not read. */
function isUnreadBy(accountId: number) {
  return sql<boolean>`(unread_by <> '[]' and unread_by @> to_jsonb(${accountId}::bigint))`;
}

function partOf(q: string): string {
  return `%${fold(q).replace(/[\\%_]/g, '\\$&')}%`;
}
