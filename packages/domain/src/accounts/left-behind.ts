import type { Database } from '@flotilla/database/connect.ts';
import { type Expression, type SqlBool, sql } from 'kysely';

type Maker = { username: string } | { keyIds: readonly number[] };

/**
 * Says for the audit log what stays in use after its maker has lost the bot, or after its key was deleted: tokens,
 * backends and signing secrets belong to the program, as a deploy key belongs to its repository. `botIds` are the bots
 * that the maker still sees; null: all.
 */
export async function describeLeft(db: Database, maker: Maker, botIds: readonly number[] | null): Promise<string> {
  if (botIds === null) return '';
  const madeBy = (name: string, key: string): Expression<SqlBool> =>
    'username' in maker
      ? sql<SqlBool>`${sql.ref(name)} = ${maker.username}`
      : sql<SqlBool>`${sql.ref(key)} = any(${[...maker.keyIds]}::bigint[])`;
  const elsewhere = sql<SqlBool>`programs.bot_id <> all(${[...botIds]}::bigint[])`;
  const tokens = db
    .selectFrom('program_tokens')
    .innerJoin('programs', 'programs.id', 'program_tokens.program_id')
    .select('program_tokens.id')
    .where(madeBy('program_tokens.made_by', 'program_tokens.made_by_key'))
    .where(elsewhere)
    .orderBy('program_tokens.id');
  const programs = db.selectFrom('programs').select('id').where(elsewhere).orderBy('id');
  const found = [
    ['tokens of programs', await tokens.execute()],
    [
      'backends of programs',
      await programs.where(madeBy('backend_by', 'backend_by_key')).where('webhook_token_id', 'is', null).execute(),
    ],
    ['signing secrets of programs', await programs.where(madeBy('signing_by', 'signing_by_key')).execute()],
  ] as const;
  return found
    .filter(([, rows]) => rows.length > 0)
    .map(([what, rows]) => `its ${what} stay: ${rows.map(({ id }) => id).join(', ')}`)
    .join('; ');
}
