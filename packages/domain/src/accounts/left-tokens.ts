import type { Database } from '@flotilla/database/connect.ts';
import type { Account } from './account.ts';

/**
 * Says for the audit log which tokens of programs stay in use after their maker has lost the bot: they belong to the
 * program, as a deploy key belongs to its repository. `botIds` are the bots that the account still sees; null: all.
 */
export async function describeLeftTokens(
  db: Database,
  { username }: Pick<Account, 'username'>,
  botIds: readonly number[] | null,
): Promise<string> {
  if (botIds === null) return '';
  let tokens = db
    .selectFrom('program_tokens')
    .innerJoin('programs', 'programs.id', 'program_tokens.program_id')
    .select('program_tokens.id')
    .where('made_by', '=', username)
    .orderBy('program_tokens.id');
  if (botIds.length > 0) tokens = tokens.where('bot_id', 'not in', botIds);
  const ids = (await tokens.execute()).map(({ id }) => id);
  return ids.length === 0 ? '' : `its tokens of programs stay: ${ids.join(', ')}`;
}
