import { randomBytes } from 'node:crypto';
import type { Database } from '@flotilla/database/connect.ts';
import { sha256Hex } from '@flotilla/runtime/digest.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import { recordEvent } from '../events/record-event.ts';
import type { AccountDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import { auditedAccount } from './audited-account.ts';
import { changeCredentials } from './change-credentials.ts';
import { toBase32 } from './totp.ts';

const RECOVERY_CODES = 10;
/** 80 random bits: their hash needs no salt. */
const RECOVERY_BYTES = 10;

/** The session (its hash) in which a factor is added. isProved: it proved a factor of the account. */
export type AddingFactor = { session: string; isProved: boolean };

/** Why a session adds no factor beside another one that it did not prove. */
export const notProved = () =>
  new FlotillaError('second_factor_needed', 'This session began without the second factor: sign in again');

const WORDS = { second_factor_add: 'added', second_factor_remove: 'removed', second_factor_reset: 'reset' } as const;

/**
 * Changes the second factors of an account, with an audit entry and an event, and ends every session of it. `change` returns the factor in
 * words; null if it changed nothing, and then so does this. Returns the version for new sessions.
 */
export async function changeFactor(
  deps: AccountDeps,
  by: Actor,
  accountId: number,
  action: keyof typeof WORDS,
  change: (transaction: Database) => Promise<string | null>,
): Promise<number | null> {
  return changeCredentials(deps, () =>
    deps.db.transaction().execute(async (transaction) => {
      const factor = await change(transaction);
      if (factor === null) return null;
      const accounts = accountStore(transaction);
      const { username } = (await accounts.findById(accountId))!;
      await recordAction({ db: transaction, clock: deps.clock }, by, auditedAccount(action, { id: accountId }, factor));
      await recordEvent(transaction, {
        kind: action === 'second_factor_add' ? 'second_factor.added' : 'second_factor.removed',
        bot_id: null,
        by,
        text: `A second factor of ${username} was ${WORDS[action]}: ${factor}`,
      });
      return accounts.endSessions(accountId);
    }),
  );
}

/** Ten codes, each of four groups of four letters and digits, and their hashes. */
export function newRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    toBase32(randomBytes(RECOVERY_BYTES)).toLowerCase().match(/.{4}/g)!.join('-'),
  );
  return { codes, hashes: codes.map((code) => sha256Hex(normalCode(code))) };
}

/** People type codes with spaces, dashes and capitals. */
export function normalCode(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}
