import type { Database } from '@flotilla/database/connect.ts';
import type { ProgramChatsTable } from '@flotilla/database/tables.ts';
import { type Selectable, sql } from 'kysely';

export type ProgramChat = Selectable<ProgramChatsTable> & { title: string | null; type: string | null };

/** SQL of chats that are bound to programs. A trigger counts removals in `chats_revision`, and has them published. */
export function programChatStore(db: Database) {
  const ofProgram = (programId: number) => db.selectFrom('program_chats').where('program_id', '=', programId);
  return {
    /** By chat id; `afterId` starts after that chat. */
    list(programId: number, page: { limit: number; offset: number; afterId: number | null }): Promise<ProgramChat[]> {
      let rows = db
        .selectFrom('program_chats as p')
        .leftJoin('chats as c', (join) => join.onRef('c.bot_id', '=', 'p.bot_id').onRef('c.id', '=', 'p.chat_id'))
        .selectAll('p')
        .select([
          sql<string | null>`coalesce(c.title, nullif(concat_ws(' ', c.first_name, c.last_name), ''))`.as('title'),
          'c.type',
        ])
        .where('p.program_id', '=', programId);
      if (page.afterId !== null) rows = rows.where('p.chat_id', '>', page.afterId);
      return rows.orderBy('p.chat_id').limit(page.limit).offset(page.offset).execute();
    },

    async count(programId: number): Promise<number> {
      const { count } = await ofProgram(programId)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    async has(programId: number, chatId: number): Promise<boolean> {
      const found = ofProgram(programId).select('chat_id').where('chat_id', '=', chatId);
      return (await found.executeTakeFirst()) !== undefined;
    },

    async insert(chat: Omit<Selectable<ProgramChatsTable>, 'revision' | 'bound_at'>): Promise<void> {
      const revision = await this.countChange(chat.program_id);
      await db
        .insertInto('program_chats')
        .values({ ...chat, revision })
        .execute();
    },

    /** Returns the new revision of the chats of a program. */
    async countChange(programId: number): Promise<number> {
      const { chats_revision } = await db
        .updateTable('programs')
        .set({ chats_revision: sql<number>`chats_revision + 1` })
        .where('id', '=', programId)
        .returning('chats_revision')
        .executeTakeFirstOrThrow();
      return chats_revision;
    },

    async remove(programId: number, chatId: number): Promise<boolean> {
      const gone = db.deleteFrom('program_chats').where('program_id', '=', programId).where('chat_id', '=', chatId);
      return (await gone.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}
