import type { Database } from '@flotilla/database/connect.ts';
import { newApiKey } from '@flotilla/domain/people/accounts/api-key.ts';
import { hashPassword } from '@flotilla/domain/people/accounts/password.ts';
import { usernameKey } from '@flotilla/domain/people/accounts/username-key.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';

export interface TestAccount {
  id: number;
  username: string;
  password: string;
  key: string;
}

/** Inserts an account with an API key into the database. `bots` null means every bot. */
export async function insertAccount(
  db: Database,
  given: {
    username: string;
    role?: 'admin' | 'user';
    bots?: number[] | null;
    labels?: string[];
    rights?: string[];
    mustChangePassword?: boolean;
  },
): Promise<TestAccount> {
  const { username, role = 'user', bots = [], labels = [], rights = [], mustChangePassword = false } = given;
  const password = `password-of-${username}`;
  const account = await db
    .insertInto('accounts')
    .values({
      username,
      username_key: usernameKey(username),
      role,
      password_hash: await hashPassword(password),
      all_bots: bots === null,
      bot_labels: JSON.stringify(labels),
      rights: JSON.stringify(rights),
      must_change_password: mustChangePassword,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const botId of bots ?? []) {
    await db.insertInto('account_bots').values({ account_id: account.id, bot_id: botId }).execute();
  }
  const key = newApiKey();
  await db
    .insertInto('api_keys')
    .values({ account_id: account.id, name: 'test', key_hash: sha256Hex(key), key_prefix: key.slice(0, 10), role })
    .execute();
  return { id: account.id, username, password, key };
}
