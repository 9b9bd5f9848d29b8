import { auditStore } from '../audit/audit-store.ts';
import type { AccountDeps } from './account-deps.ts';
import { findAccount } from './find-account.ts';

const ID = /^[1-9]\d{0,15}$/;

/**
 * The account of a username or an id, including deleted accounts; null when no account ever had that name. A username
 * that looks like a number takes precedence over the id.
 */
export async function findAccountId({ db }: Pick<AccountDeps, 'db'>, nameOrId: string): Promise<number | null> {
  const named = await findAccount(db, nameOrId);
  const id = named?.account.id ?? (await auditStore(db).deletedAccount(nameOrId));
  return id ?? (ID.test(nameOrId) ? Number(nameOrId) : null);
}
