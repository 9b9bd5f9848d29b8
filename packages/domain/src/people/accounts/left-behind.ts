import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { accountSees } from './seen-bots.ts';

type Creator = { id: number; username: string } | { keyIds: readonly number[] };
type Creators = { accounts: readonly { id: number; username: string }[]; keyIds: readonly number[] };
type Left = { tokens: LeftToken[]; inWords: string };

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
export async function leftBehind(db: Database, creator: Creator, botIds: readonly number[] | null): Promise<Left> {
  if (botIds === null) return { tokens: [], inWords: '' };
  const creators = 'keyIds' in creator ? { accounts: [], ...creator } : { accounts: [creator], keyIds: [] };
  return leftOn(db, creators, sql<SqlBool>`programs.bot_id <> all(${[...botIds]}::bigint[])`, 'its');
}

/** The same in words, of all who saw a bot by these labels, which it had until now, and see it no more. */
export async function leftByLabels(db: Database, botId: number, labels: readonly string[]): Promise<string> {
  const { rows: accounts } = await sql<{ id: number; username: string }>`
    select a.id, a.username from accounts a
    where a.bot_labels ?| ${labels}::text[] and not ${accountSees(sql`${botId}::bigint`)}`.execute(db);
  const { rows: keys } = await sql<{ id: number }>`
    select k.id from api_keys k join bots b on b.id = ${botId}
    where k.bot_labels ?| ${labels}::text[] and not k.bot_ids::jsonb @> to_jsonb(b.id)
      and not k.bot_labels ?| array(select jsonb_array_elements_text(b.labels))`.execute(db);
  const creators = { accounts, keyIds: keys.map(({ id }) => id) };
  const ofBot = sql<SqlBool>`programs.bot_id = ${botId}`;
  return (await leftOn(db, creators, ofBot, 'of those who lost it,')).inWords;
}

async function leftOn(
  db: Database,
  { accounts, keyIds }: Creators,
  where: RawBuilder<SqlBool>,
  whose: string,
): Promise<Left> {
  const madeBy = (account: string, names: readonly (number | string)[], key: string) =>
    sql<SqlBool>`(${sql.ref(account)} = any(${[...names]}) or ${sql.ref(key)} = any(${[...keyIds]}::bigint[]))`;
  const usernames = accounts.map(({ username }) => username);
  const ids = accounts.map(({ id }) => id);
  const tokens = await db
    .selectFrom('program_tokens')
    .innerJoin('programs', 'programs.id', 'program_tokens.program_id')
    .select(['program_tokens.id', 'program_tokens.name', 'token_prefix as prefix', 'expires_at'])
    .select(['programs.id as program_id', 'programs.name as program_name', 'bot_id'])
    .where(madeBy('program_tokens.made_by_id', ids, 'program_tokens.made_by_key'))
    .where(sql<SqlBool>`(expires_at is null or expires_at > now())`)
    .where(where)
    .orderBy('program_tokens.id')
    .execute();
  const programs = db.selectFrom('programs').select('id').where(where).orderBy('id');
  const backends = programs
    .where(madeBy('backend_by', usernames, 'backend_by_key'))
    .where('webhook_token_id', 'is', null);
  const signing = programs.where(madeBy('signing_by', usernames, 'signing_by_key'));
  const found = [
    ['tokens of programs', tokens],
    ['backends of programs', await backends.execute()],
    ['signing secrets of programs', await signing.execute()],
  ] as const;
  const inWords = found
    .filter(([, rows]) => rows.length > 0)
    .map(([what, rows]) => `${whose} ${what} stay: ${rows.map(({ id }) => id).join(', ')}`)
    .join('; ');
  return { tokens, inWords };
}
