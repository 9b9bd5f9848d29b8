import type { Database } from '@flotilla/database/connect.ts';
import type { ProgramsTable } from '@flotilla/database/tables.ts';
import type { Selectable } from 'kysely';
import type { Program, ProgramChanges, ProgramContent } from './program.ts';

/** SQL of programs. */
export function programStore(db: Database) {
  const ofBot = (botId: number) => db.selectFrom('programs').where('bot_id', '=', botId);
  return {
    /** Oldest first; `afterId` starts after that program. */
    async list(botId: number, page: { limit: number; offset: number; afterId: number | null }): Promise<Program[]> {
      let programs = ofBot(botId).selectAll().orderBy('id').limit(page.limit).offset(page.offset);
      if (page.afterId !== null) programs = programs.where('id', '>', page.afterId);
      return (await programs.execute()).map(toProgram);
    },

    async count(botId: number): Promise<number> {
      const { count } = await ofBot(botId)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    async find(id: number): Promise<Program | null> {
      const row = await db.selectFrom('programs').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toProgram(row);
    },

    /** Like `find`, but also locks the program until the transaction ends. */
    async lock(id: number): Promise<Program | null> {
      const row = await db.selectFrom('programs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
      return row === undefined ? null : toProgram(row);
    },

    async insert(botId: number, { name, mode, kinds, enabled }: ProgramContent): Promise<Program> {
      const row = await db
        .insertInto('programs')
        .values({ bot_id: botId, name, mode, kinds: JSON.stringify(kinds), enabled })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toProgram(row);
    },

    async update(id: number, { name, kinds, enabled }: ProgramChanges): Promise<Program> {
      const row = await db
        .updateTable('programs')
        .set({ name, enabled, kinds: kinds === undefined ? undefined : JSON.stringify(kinds) })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return toProgram(row);
    },

    async remove(id: number): Promise<void> {
      await db.deleteFrom('programs').where('id', '=', id).execute();
    },
  };
}

function toProgram(row: Selectable<ProgramsTable>): Program {
  return {
    id: row.id,
    botId: row.bot_id,
    name: row.name,
    mode: 'pull',
    kinds: JSON.parse(row.kinds) as string[],
    enabled: row.enabled,
    createdAt: row.created_at,
  };
}
