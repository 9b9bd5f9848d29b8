import { randomBytes } from 'node:crypto';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { auditedAccount } from './audited-account.ts';
import { changeCredentials } from './change-credentials.ts';
import { secondFactorPlace, secondFactorStore } from './second-factor-store.ts';
import { stepOfCode, toBase32, totpUri } from './totp.ts';

type FactorDeps = AccountDeps & { secrets: SecretBox };
/** The proof of a sign-in beside the password. none: the account needs nothing. */
export type SecondProof = 'none' | 'code' | 'recovery_code';
export type SecondFactorState = { totp: boolean; recoveryCodesLeft: number };

const ISSUER = 'Flotilla';
/** The key is as long as the hash: RFC 4226, section 4. */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** 80 random bits: their hash needs no salt. */
const RECOVERY_BYTES = 10;

export async function readSecondFactor({ db }: Pick<AccountDeps, 'db'>, accountId: number): Promise<SecondFactorState> {
  const found = await secondFactorStore(db).find(accountId);
  if (found === undefined || found.confirmed_at === null) return { totp: false, recoveryCodesLeft: 0 };
  return { totp: true, recoveryCodesLeft: found.recovery_hashes.length };
}

/** Checks a code and uses it up. 'needed': there is no code. 'wrong': also one that was used. */
export async function proveSecondFactor(
  deps: FactorDeps,
  accountId: number,
  code: string | undefined,
): Promise<SecondProof | 'needed' | 'wrong'> {
  const store = secondFactorStore(deps.db);
  const found = await store.find(accountId);
  if (found === undefined || found.confirmed_at === null) return 'none';
  const typed = normalCode(code ?? '');
  if (typed === '') return 'needed';
  const secret = openSecret(deps, accountId, found.totp_sealed);
  const step = stepOfCode(secret, typed, { nowMs: deps.clock.nowMs(), last_step: found.last_step });
  if (step !== null) return (await store.useStep(accountId, step)) ? 'code' : 'wrong';
  return (await store.useRecovery(accountId, sha256Hex(typed))) ? 'recovery_code' : 'wrong';
}

/** A secret for an authenticator app, which counts once a code confirms it. Throws 'conflict' if the account has one. */
export async function beginTotp(
  { db, secrets }: FactorDeps,
  { id, username }: Pick<Account, 'id' | 'username'>,
): Promise<{ secret: string; uri: string }> {
  const secret = randomBytes(SECRET_BYTES);
  const sealed = secrets.seal(secret.toString('base64'), secondFactorPlace(id));
  if (!(await secondFactorStore(db).begin(id, sealed))) {
    throw new FlotillaError('conflict', 'This account has a second factor: remove it first');
  }
  return { secret: toBase32(secret), uri: totpUri(secret, ISSUER, username) };
}

/**
 * Confirms the secret by a code, ends every session of the account, and returns the recovery codes, which nobody can read again, and the
 * version for new sessions. Throws 'bad_request' for a wrong code.
 */
export async function confirmTotp(
  deps: FactorDeps,
  by: Actor,
  accountId: number,
  code: string,
): Promise<{ recoveryCodes: string[]; sessionVersion: number }> {
  const found = await secondFactorStore(deps.db).find(accountId);
  if (found === undefined || found.confirmed_at !== null) throw refusedInput('code', 'confirms nothing: begin first');
  const nowMs = deps.clock.nowMs();
  const { totp_sealed: sealed } = found;
  const step = stepOfCode(openSecret(deps, accountId, sealed), normalCode(code), { nowMs, last_step: 0 });
  if (step === null) throw refusedInput('code', 'is wrong, or too old');
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const hashes = recoveryCodes.map((one) => sha256Hex(normalCode(one)));
  const sessionVersion = await changeFactor(deps, by, accountId, 'second_factor_add', (transaction) =>
    transaction.confirm(accountId, sealed, step, hashes, new Date(nowMs)),
  );
  if (sessionVersion === null) throw new FlotillaError('conflict', 'Another second factor was begun meanwhile');
  return { recoveryCodes, sessionVersion };
}

/** Removes the second factor, and ends every session of the account. Returns the version for new ones; null if there was none. */
export function removeSecondFactor(
  deps: FactorDeps,
  by: Actor,
  accountId: number,
  action: 'second_factor_remove' | 'second_factor_reset',
): Promise<number | null> {
  return changeFactor(deps, by, accountId, action, (store) => store.remove(accountId));
}

function openSecret({ secrets }: FactorDeps, accountId: number, sealed: string): Buffer {
  return Buffer.from(secrets.open(sealed, secondFactorPlace(accountId)), 'base64');
}

/** Null if `change` changed nothing. */
function changeFactor(
  deps: FactorDeps,
  by: Actor,
  accountId: number,
  action: 'second_factor_add' | 'second_factor_remove' | 'second_factor_reset',
  change: (store: ReturnType<typeof secondFactorStore>) => Promise<boolean>,
): Promise<number | null> {
  return changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      if (!(await change(secondFactorStore(transaction)))) return null;
      const audited = auditedAccount(action, { id: accountId });
      await recordAction({ db: transaction, clock: deps.clock }, by, audited);
      return accountStore(transaction).endSessions(accountId);
    }),
  );
}

/** Four groups of four letters and digits. */
function newRecoveryCode(): string {
  return toBase32(randomBytes(RECOVERY_BYTES)).toLowerCase().match(/.{4}/g)!.join('-');
}

/** People type codes with spaces, dashes and capitals. */
function normalCode(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}
