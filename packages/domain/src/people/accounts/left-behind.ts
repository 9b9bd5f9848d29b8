import type { Database } from '@flotilla/database/connect.ts';
import { type Expression, type SqlBool, sql } from 'kysely';

type Creator = { id: number; username: string } | { keyIds: readonly number[] };

/** A token that goes on without its creator. */
export interface LeftToken {
  id: number;
  name: string;
  prefix: string;
  program_id: number;
  program_name: string;
  bot_id: number;
  expires_at: Date | null;
}

/**
 * Finds all that stays in use after its creator has lost the bot, or after its key was deleted: the tokens, and for the audit log
 * all of it in words. Tokens, backends and signing secrets belong to the program, as a deploy key belongs to its
 * repository. `botIds` are the bots that the creator still sees; null: all.
 */
export async function leftBehind(
  db: Database,
  creator: Creator,
  botIds: readonly number[] | null,
): Promise<{ tokens: LeftToken[]; inWords: string }> {
  if (botIds === null) return { tokens: [], inWords: '' };
  const madeBy = (account: SqlBoolOf, key: string): Expression<SqlBool> =>
    'keyIds' in creator ? sql<SqlBool>`${sql.ref(key)} = any(${[...creator.keyIds]}::bigint[])` : account(creator);
  const isNamed =
    (name: string): SqlBoolOf =>
    ({ username }) =>
      sql<SqlBool>`${sql.ref(name)} = ${username}`;
  const elsewhere = sql<SqlBool>`programs.bot_id <> all(${[...botIds]}::bigint[])`;
  const tokens = await db
    .selectFrom('program_tokens')
    .innerJoin('programs', 'programs.id', 'program_tokens.program_id')
    .select(['program_tokens.id', 'program_tokens.name', 'token_prefix as prefix', 'expires_at'])
    .select(['programs.id as program_id', 'programs.name as program_name', 'bot_id'])
    .where(madeBy(({ id }) => sql<SqlBool>`program_tokens.made_by_id = ${id}`, 'program_tokens.made_by_key'))
    .where(sql<SqlBool>`(expires_at is null or expires_at > now())`)
    .where(elsewhere)
    .orderBy('program_tokens.id')
    .execute();
  const programs = db.selectFrom('programs').select('id').where(elsewhere).orderBy('id');
  const backends = programs
    .where(madeBy(isNamed('backend_by'), 'backend_by_key'))
    .where('webhook_token_id', 'is', null);
  const found = [
    ['tokens of programs', tokens],
    ['backends of programs', await backends.execute()],
    ['signing secrets of programs', await programs.where(madeBy(isNamed('signing_by'), 'signing_by_key')).execute()],
  ] as const;
  const inWords = found
    .filter(([, rows]) => rows.length > 0)
    .map(([what, rows]) => `its ${what} stay: ${rows.map(({ id }) => id).join(', ')}`)
    .join('; ');
  return { tokens, inWords };
}

type SqlBoolOf = (account: { id: number; username: string }) => Expression<SqlBool>;
