import type { Database } from '@flotilla/database/connect.ts';
import type { ProgramLinksTable } from '@flotilla/database/tables.ts';
import { type Selectable, sql } from 'kysely';

export type ProgramLink = Selectable<ProgramLinksTable>;

/** SQL of links that bind chats to programs. */
export function programLinkStore(db: Database) {
  const ofProgram = (programId: number) => db.selectFrom('program_links').where('program_id', '=', programId);
  const isOpen = sql<boolean>`(uses_left > 0 and expires_at > now())`;
  return {
    async countOpen(programId: number): Promise<number> {
      const { count } = await ofProgram(programId)
        .where(isOpen)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    insert(program_id: number, link: { hash: string; uses: number; expires_in_s: number }): Promise<ProgramLink> {
      return db
        .insertInto('program_links')
        .values({
          ...{ program_id, token_hash: link.hash, uses_left: link.uses },
          expires_at: sql<Date>`now() + make_interval(secs => ${link.expires_in_s})`,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
    },

    /** Null for one that is unknown, has expired or is used up. */
    async findOpen(hash: string): Promise<ProgramLink | null> {
      const open = db.selectFrom('program_links').selectAll().where('token_hash', '=', hash).where(isOpen);
      return (await open.executeTakeFirst()) ?? null;
    },

    /** False if it was used up, has expired or was revoked meanwhile. */
    async use(id: number): Promise<boolean> {
      const used = db.updateTable('program_links').set({ uses_left: sql`uses_left - 1` });
      return (await used.where('id', '=', id).where(isOpen).executeTakeFirst()).numUpdatedRows === 1n;
    },

    /** Returns how many open ones there were. */
    async revoke(programId: number): Promise<number> {
      const open = await this.countOpen(programId);
      await db.deleteFrom('program_links').where('program_id', '=', programId).execute();
      return open;
    },

    async removeClosed(programId: number): Promise<void> {
      await db
        .deleteFrom('program_links')
        .where('program_id', '=', programId)
        .where(sql<boolean>`not ${isOpen}`)
        .execute();
    },
  };
}
