import { randomUUID } from 'node:crypto';
import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { authKeys } from '@flotilla/redis/keys.ts';
import type { Account } from './account.ts';
import type { AccountDeps } from './account-deps.ts';
import { accountStore } from './account-store.ts';
import type { ApiKey } from './api-key.ts';
import { apiKeyStore } from './api-key-store.ts';

const VERSION_AGE_MS = 1000;
/** Entries are read again after this time even under the same version, in case a change could not draw a new one. */
const FRESH_MS = 60_000;
/** A known credential keeps working for this long without Postgres. */
const USABLE_MS = 3_600_000;
const RETRY_POSTGRES_MS = 5000;
const MAX_ENTRIES = 10_000;

/** A process's cache of accounts and keys, so that a long poll needs no Postgres. */
export interface CredentialCache {
  /** By the key's SHA-256 in hex; null when no such key exists. Throws if it is not cached and Postgres is away. */
  keyByHash(hash: string): Promise<ApiKey | null>;
  /** `session`: an account that was cached before this version of its sessions is read again. */
  account(id: number, session?: { sessionVersion: number }): Promise<Account | null>;
  /** A version that changes when any account or key does, at most 1 s late; null while Redis is away. */
  version(): Promise<string | null>;
  /** The last known version, without asking for a newer one. */
  knownVersion(): string | null;
}

/** Follows the version that `changeCredentials` draws, at most 1 s late. Without Redis it asks Postgres each time. */
export function credentialCache(deps: AccountDeps): CredentialCache {
  const { version, known } = followVersion(deps);
  const keys = cachedLookup<string, ApiKey>(deps, version, (hash) => apiKeyStore(deps.db).findByHash(hash));
  const accounts = cachedLookup<number, Account>(deps, version, (id) => accountStore(deps.db).findById(id));
  return {
    keyByHash: (hash) => keys(hash),
    account: (id, session) =>
      accounts(
        id,
        (account) => session === undefined || (account !== null && account.session_version >= session.sessionVersion),
      ),
    version,
    knownVersion: known,
  };
}

type Version = () => Promise<string | null>;

function followVersion({ redis, clock }: AccountDeps): { version: Version; known(): string | null } {
  let known: string | null = null;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<string | null> | undefined;

  const check = async () => {
    const beganAtMs = clock.nowMs();
    known = await readVersion(redis).catch(() => null);
    checkedAtMs = beganAtMs;
    return known;
  };
  const version = async () => {
    if (clock.nowMs() - checkedAtMs < VERSION_AGE_MS) return known;
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return checking;
  };
  return { version, known: () => known };
}

async function readVersion(redis: AccountDeps['redis']): Promise<string | null> {
  const found = await redis.commands.get(authKeys.version);
  if (found !== null) return found;
  await redis.commands.set(authKeys.version, randomUUID(), 'NX');
  return redis.commands.get(authKeys.version);
}

interface Entry<Value> {
  value: Value | null;
  version: string;
  readAtMs: number;
}

function cachedLookup<Key, Value>(
  { clock }: AccountDeps,
  currentVersion: Version,
  read: (key: Key) => Promise<Value | null>,
): (key: Key, isNewEnough?: (value: Value | null) => boolean) => Promise<Value | null> {
  const entries = new Map<Key, Entry<Value>>();
  let postgresFailedAtMs = Number.NEGATIVE_INFINITY;

  return async (key, isNewEnough = () => true) => {
    // The version is read first, so the data can only be newer than it.
    const version = await currentVersion();
    const entry = entries.get(key);
    const isCurrent = entry !== undefined && entry.version === version && isNewEnough(entry.value);
    const usable = isCurrent && clock.nowMs() - entry.readAtMs < USABLE_MS;
    if (usable && clock.nowMs() - entry.readAtMs < FRESH_MS) return entry.value;
    if (usable && clock.nowMs() - postgresFailedAtMs < RETRY_POSTGRES_MS) return entry.value;
    try {
      const value = await read(key);
      if (version !== null) remember(entries, key, { value, version, readAtMs: clock.nowMs() });
      return value;
    } catch (error) {
      if (!usable || !isUnavailable(error)) throw error;
      postgresFailedAtMs = clock.nowMs();
      return entry.value;
    }
  };
}

function remember<Key, Value>(entries: Map<Key, Entry<Value>>, key: Key, entry: Entry<Value>): void {
  entries.delete(key);
  entries.set(key, entry);
  if (entries.size <= MAX_ENTRIES) return;
  const oldest = entries.keys().next();
  if (!oldest.done) entries.delete(oldest.value);
}
