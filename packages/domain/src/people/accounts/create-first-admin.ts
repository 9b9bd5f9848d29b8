import { SettingsError } from '@flotilla/runtime/env.ts';
import { sql } from 'kysely';
import { OPERATOR } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { auditedAccount } from './audited-account.ts';
import { changeCredentials } from './change-credentials.ts';
import { COMMON_PASSWORD_FAULT, isCommonPassword } from './common-password.ts';
import { hashPassword, randomPassword } from './password.ts';

/** An arbitrary number. The process that holds this lock looks for accounts and makes the first one. */
const FIRST_ADMIN_LOCK = 7_361_002;

export type FirstAdmin = { outcome: 'exists' } | { outcome: 'created'; generatedPassword: string | null };

/**
 * Makes the first admin of an empty installation. Several processes may start at once. If no password is given, a
 * random one is generated and returned, to be printed once. Rejects with SettingsError for one of the commonest passwords.
 */
export async function createFirstAdmin(
  deps: AccountDeps,
  first: { username: string; password: string | undefined },
): Promise<FirstAdmin> {
  if (await accountStore(deps.db).anyExists()) return { outcome: 'exists' };
  if (first.password !== undefined && (await isCommonPassword(first.password)))
    throw new SettingsError(`ADMIN_PASSWORD ${COMMON_PASSWORD_FAULT}`);
  const password = first.password ?? randomPassword();
  const passwordHash = await hashPassword(password);
  const created = await changeCredentials(deps, () => insertWhenEmpty(deps, first.username, passwordHash));
  if (!created) return { outcome: 'exists' };
  return { outcome: 'created', generatedPassword: first.password === undefined ? password : null };
}

function insertWhenEmpty({ db, clock }: AccountDeps, username: string, password_hash: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${FIRST_ADMIN_LOCK})`.execute(transaction);
    const store = accountStore(transaction);
    if (await store.anyExists()) return false;
    const id = await store.insert({ username, password_hash, role: 'admin', all_bots: true });
    const audited = auditedAccount('account_add', { id }, 'the first admin, made at start');
    await recordAction({ db: transaction, clock }, OPERATOR, audited);
    return true;
  });
}
