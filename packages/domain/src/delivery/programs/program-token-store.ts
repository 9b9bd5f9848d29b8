import { type ProgramTokenRow, programTokenResource } from '@flotilla/contract/program-tokens.ts';
import { storable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { ProgramToken, WantedToken } from './program-token.ts';

type NewToken = WantedToken &
  Pick<ProgramToken, 'program_id' | 'token_hash' | 'token_prefix' | 'made_by' | 'made_by_id' | 'made_by_key'>;

/** SQL of tokens of programs. */
export function programTokenStore(db: Database) {
  const ofProgram = (programId: number) => db.selectFrom('program_tokens').where('program_id', '=', programId);
  return {
    /** Oldest first; `afterId` starts after that token. */
    async list(
      programId: number,
      page: { limit: number; offset: number; afterId: number | null },
    ): Promise<ProgramToken[]> {
      let tokens = ofProgram(programId).selectAll().orderBy('id').limit(page.limit).offset(page.offset);
      if (page.afterId !== null) tokens = tokens.where('id', '>', page.afterId);
      return (await tokens.execute()).map(toToken);
    },

    async all(programId: number): Promise<ProgramToken[]> {
      return (await ofProgram(programId).selectAll().orderBy('id').execute()).map(toToken);
    },

    async count(programId: number): Promise<number> {
      const { count } = await ofProgram(programId)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** The name of each token, by id. */
    async namesOf(programId: number): Promise<ReadonlyMap<number, string>> {
      const rows = await ofProgram(programId).select(['id', 'name']).execute();
      return new Map(rows.map(({ id, name }) => [id, name]));
    },

    async find(id: number): Promise<ProgramToken | null> {
      const row = await db.selectFrom('program_tokens').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toToken(row);
    },

    async insert({ methods, chats, threads, ...token }: NewToken): Promise<ProgramToken> {
      const json = (list: readonly unknown[] | null) => list && JSON.stringify(list);
      const lists = { methods: json(methods), chats: json(chats), threads: json(threads) };
      const row = await db
        .insertInto('program_tokens')
        .values({ ...storable(programTokenResource, token), ...lists })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toToken(row);
    },

    async remove(id: number): Promise<boolean> {
      const gone = await db.deleteFrom('program_tokens').where('id', '=', id).executeTakeFirst();
      return gone.numDeletedRows > 0n;
    },

    async recordUse(id: number, at: Date): Promise<void> {
      await db.updateTable('program_tokens').set({ last_used_at: at }).where('id', '=', id).execute();
    },
  };
}

function toToken({ methods, chats, threads, ...row }: ProgramTokenRow): ProgramToken {
  const list = <T>(json: string | null) => (json === null ? null : (JSON.parse(json) as T[]));
  return { ...row, methods: list<string>(methods), chats: list<number>(chats), threads: list<number>(threads) };
}
