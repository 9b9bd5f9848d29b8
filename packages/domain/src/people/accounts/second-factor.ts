import { randomBytes } from 'node:crypto';
import { authKeys } from '@flotilla/redis/keys.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import type { Actor } from '../audit/actor.ts';
import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { type AddingFactor, changeFactor, newRecoveryCodes, normalCode, notProved } from './change-factor.ts';
import { type Passkey, passkeyStore } from './passkey-store.ts';
import { provePasskey, type RelyingParty } from './passkeys.ts';
import { NO_TOTP, secondFactorPlace, secondFactorStore } from './second-factor-store.ts';
import { stepOfCode, toBase32, totpUri } from './totp.ts';

export type FactorDeps = AccountDeps & { secrets: SecretBox; relyingParty: RelyingParty | null };
/** The proof of a sign-in beside the password. none: the account needs nothing. */
export type SecondProof = 'none' | 'code' | 'recovery_code' | 'passkey';
export type GivenProof = { code?: string | undefined; passkey?: string | undefined };
export type SecondFactorState = { totp: boolean; passkeys: Passkey[]; recovery_codes_left: number };

const APP = 'authenticator app';
const ISSUER = 'Flotilla';
/** The key is as long as the hash: RFC 4226, section 4. */
const SECRET_BYTES = 20;
const BEGUN_MS = 15 * 60_000;

export async function readSecondFactor({ db }: Pick<AccountDeps, 'db'>, accountId: number): Promise<SecondFactorState> {
  const found = await secondFactorStore(db).find(accountId);
  if (found === undefined) return { totp: false, passkeys: [], recovery_codes_left: 0 };
  const passkeys = await passkeyStore(db).list(accountId);
  return { totp: found.totp_sealed !== NO_TOTP, passkeys, recovery_codes_left: found.recovery_hashes.length };
}

/** Checks a code or a passkey, and uses it up. 'needed': there is neither. 'wrong': also one that was used. */
export async function proveSecondFactor(
  deps: FactorDeps,
  accountId: number,
  given: GivenProof,
): Promise<SecondProof | 'needed' | 'wrong'> {
  const store = secondFactorStore(deps.db);
  const found = await store.find(accountId);
  if (found === undefined) return 'none';
  if (given.passkey !== undefined) return (await provePasskey(deps, accountId, given.passkey)) ? 'passkey' : 'wrong';
  const typed = normalCode(given.code ?? '');
  if (typed === '') return 'needed';
  if (found.totp_sealed !== NO_TOTP) {
    const secret = openSecret(deps, accountId, found.totp_sealed);
    const step = stepOfCode(secret, typed, { nowMs: deps.clock.nowMs(), last_step: found.last_step });
    if (step !== null) return (await store.useStep(accountId, step)) ? 'code' : 'wrong';
  }
  return (await store.useRecovery(accountId, sha256Hex(typed))) ? 'recovery_code' : 'wrong';
}

/** A secret for an authenticator app, which counts once a code confirms it in this session. Throws 'conflict' if the account has an app. */
export async function beginTotp(
  { db, redis, secrets }: FactorDeps,
  { id, username }: Pick<Account, 'id' | 'username'>,
  session: string,
): Promise<{ secret: string; uri: string }> {
  if ((await readSecondFactor({ db }, id)).totp) {
    throw new FlotillaError('conflict', 'This account has an authenticator app: remove it first');
  }
  const secret = randomBytes(SECRET_BYTES);
  const sealed = secrets.seal(secret.toString('base64'), secondFactorPlace(id));
  await redis.commands.set(authKeys.begunTotp(id, session), sealed, 'PX', BEGUN_MS);
  return { secret: toBase32(secret), uri: totpUri(secret, ISSUER, username) };
}

/**
 * Confirms the secret by a code, ends every session of the account, and returns the version for new ones, and the recovery codes, which
 * nobody can read again: none if the account has some already. Throws 'bad_request' for a wrong code.
 */
export async function confirmTotp(
  deps: FactorDeps,
  by: Actor,
  { account_id, session, isProved, code }: AddingFactor & { account_id: number; code: string },
): Promise<{ recovery_codes: string[]; sessionVersion: number }> {
  const begun = authKeys.begunTotp(account_id, session);
  const sealed = await deps.redis.commands.get(begun);
  if (sealed === null) throw refusedInput('code', 'confirms nothing: begin first');
  const nowMs = deps.clock.nowMs();
  const step = stepOfCode(openSecret(deps, account_id, sealed), normalCode(code), { nowMs, last_step: 0 });
  if (step === null) throw refusedInput('code', 'is wrong, or too old');
  const app = { totp_sealed: sealed, last_step: step };
  const { codes, hashes } = newRecoveryCodes();
  let isFirst = false;
  const sessionVersion = await changeFactor(deps, by, account_id, 'second_factor_add', async (transaction) => {
    const store = secondFactorStore(transaction);
    isFirst = await store.begin(account_id, app, hashes, new Date(nowMs));
    if (!isFirst && !isProved) throw notProved();
    return isFirst || (await store.addTotp(account_id, app)) ? APP : null;
  });
  await deps.redis.commands.del(begun);
  if (sessionVersion === null) throw new FlotillaError('conflict', 'This account has an authenticator app already');
  return { recovery_codes: isFirst ? codes : [], sessionVersion };
}

/** Removes the app, and ends every session of the account. Returns the version for new ones; null if there was none. */
export function removeTotp(deps: FactorDeps, by: Actor, accountId: number): Promise<number | null> {
  return changeFactor(deps, by, accountId, 'second_factor_remove', async (transaction) =>
    (await secondFactorStore(transaction).removeTotp(accountId)) ? APP : null,
  );
}

/** Removes the app and all passkeys of an account, and ends its sessions. */
export async function resetSecondFactor(deps: FactorDeps, by: Actor, accountId: number): Promise<void> {
  await changeFactor(deps, by, accountId, 'second_factor_reset', async (transaction) => {
    const { totp, passkeys } = await readSecondFactor({ db: transaction }, accountId);
    const named = [...(totp ? [APP] : []), ...passkeys.map(({ name }) => `passkey ${JSON.stringify(name)}`)];
    return (await secondFactorStore(transaction).remove(accountId)) ? named.join(', ') : null;
  });
}

function openSecret({ secrets }: FactorDeps, accountId: number, sealed: string): Buffer {
  return Buffer.from(secrets.open(sealed, secondFactorPlace(accountId)), 'base64');
}
