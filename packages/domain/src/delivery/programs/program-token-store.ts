import type { Database } from '@flotilla/database/connect.ts';
import type { ProgramTokensTable } from '@flotilla/database/tables.ts';
import type { Selectable } from 'kysely';
import type { ProgramToken, TokenCreator, WantedToken } from './program-token.ts';

type NewRow = WantedToken & { programId: number; hash: string; prefix: string; creator: TokenCreator };

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

    async insert(token: NewRow): Promise<ProgramToken> {
      const json = (list: readonly unknown[] | null) => (list === null ? null : JSON.stringify(list));
      const row = await db
        .insertInto('program_tokens')
        .values({
          program_id: token.programId,
          name: token.name,
          token_hash: token.hash,
          token_prefix: token.prefix,
          methods: json(token.methods),
          chats: json(token.chats),
          threads: json(token.threads),
          per_second: token.per_second,
          per_minute: token.per_minute,
          priority: token.priority,
          made_by: token.creator.username,
          made_by_id: token.creator.accountId,
          made_by_key: token.creator.keyId,
          expires_at: token.expires_at,
        })
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

function toToken(row: Selectable<ProgramTokensTable>): ProgramToken {
  const list = <T>(json: string | null) => (json === null ? null : (JSON.parse(json) as T[]));
  return {
    id: row.id,
    program_id: row.program_id,
    name: row.name,
    prefix: row.token_prefix,
    methods: list<string>(row.methods),
    chats: list<number>(row.chats),
    threads: list<number>(row.threads),
    per_second: row.per_second,
    per_minute: row.per_minute,
    priority: row.priority,
    made_by: row.made_by,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    created_at: row.created_at,
  };
}
