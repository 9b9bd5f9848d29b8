import type { Account } from '@flotilla/domain/people/accounts/account.ts';
import type { AccountDeps } from '@flotilla/domain/people/accounts/account-deps.ts';
import { accountStore } from '@flotilla/domain/people/accounts/account-store.ts';
import { type ApiKey, endOfKey, isUsableKey } from '@flotilla/domain/people/accounts/api-key.ts';
import { apiKeyStore } from '@flotilla/domain/people/accounts/api-key-store.ts';
import { type Caller, callerOf } from '@flotilla/domain/people/accounts/caller.ts';
import type { CredentialCache } from '@flotilla/domain/people/accounts/credential-cache.ts';
import { authKeys } from '@flotilla/redis/keys.ts';

/** The session of an account that is signed in. */
export interface OpenSession {
  id: string;
  sessionVersion: number;
  endsAtMs: number;
}

/** The credential of a request that takes long to answer. */
export interface HeldCredential {
  caller: Caller;
  /** null: the credential is the caller's API key. */
  session: OpenSession | null;
  /** The version of the credentials when the caller was looked up, or an older one. */
  version: string | null;
}

export interface CredentialWatch {
  /** Calls `changed` with the current caller after any account or key changed; with null if the credential ended. */
  hold(held: HeldCredential, changed: (now: Caller | null) => void): { release(): void };
  close(): void;
}

type Deps = AccountDeps & { credentials: CredentialCache };
type Hold = HeldCredential & { changed(now: Caller | null): void };

const LOOK_EVERY_MS = 1000;

/** Checks once a second, with a few queries in all, whether the credentials of running requests still hold. */
export function watchCredentials(deps: Deps): CredentialWatch {
  const holds = new Set<Hold>();
  let looking = false;
  const look = async () => {
    if (looking || holds.size === 0) return;
    looking = true;
    // While a store is away we cannot know that a credential has ended; the next check asks again.
    await lookAfter(deps, holds).catch((error: unknown) =>
      deps.log.debug({ reason: String(error) }, 'the credentials of waiting requests could not be checked'),
    );
    looking = false;
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return {
    hold: (held, changed) => {
      const hold = { ...held, changed };
      holds.add(hold);
      return { release: () => holds.delete(hold) };
    },
    close: () => clearInterval(timer),
  };
}

async function lookAfter(deps: Deps, holds: ReadonlySet<Hold>): Promise<void> {
  const nowMs = deps.clock.nowMs();
  for (const hold of holds) if (endOf(hold) <= nowMs) hold.changed(null);
  const version = await deps.credentials.version();
  const stale = [...holds].filter((hold) => hold.version !== version);
  if (version !== null && stale.length > 0) await compareWithPostgres(deps, stale, version);
  await endSignedOut(deps, holds);
}

function endOf({ caller, session }: Hold): number {
  if (session !== null) return session.endsAtMs;
  const end = caller.apiKey === null ? null : endOfKey(caller.apiKey);
  return end?.getTime() ?? Number.POSITIVE_INFINITY;
}

async function compareWithPostgres(deps: Deps, holds: Hold[], version: string): Promise<void> {
  const keyIds = new Set(holds.flatMap(({ caller }) => caller.apiKey?.id ?? []));
  const accountIds = new Set(holds.map(({ caller }) => caller.account.id));
  const [keys, accounts] = await Promise.all([
    apiKeyStore(deps.db).findByIds([...keyIds]),
    accountStore(deps.db).findByIds([...accountIds]),
  ]);
  const read = {
    keys: new Map(keys.map((key) => [key.id, key])),
    accounts: new Map(accounts.map((account) => [account.id, account])),
  };
  for (const hold of holds) {
    hold.version = version;
    hold.changed(callerNow(hold, read, deps.clock.nowMs()));
  }
}

function callerNow(
  { caller, session }: Hold,
  read: { keys: ReadonlyMap<number, ApiKey>; accounts: ReadonlyMap<number, Account> },
  nowMs: number,
): Caller | null {
  const account = read.accounts.get(caller.account.id);
  if (account === undefined) return null;
  if (caller.apiKey === null) return account.session_version === session?.sessionVersion ? callerOf(account) : null;
  const key = read.keys.get(caller.apiKey.id);
  return key !== undefined && isUsableKey(key, nowMs) ? callerOf(account, key) : null;
}

/** Signing out changes no account; it only removes the session. */
async function endSignedOut({ redis }: Deps, holds: ReadonlySet<Hold>): Promise<void> {
  const bySession = Map.groupBy(holds, ({ session }) => session?.id);
  bySession.delete(undefined);
  if (bySession.size === 0) return;
  const sessions = [...bySession];
  const found = await redis.runMany(sessions.map(([id = '']) => ['exists', authKeys.session(id)]));
  sessions.forEach(([, of], at) => {
    if (found[at] === 0) for (const hold of of) hold.changed(null);
  });
}
