import type { ServerIdentity } from '@flotilla/database/server-identity.ts';
import type { InstallationTable } from '@flotilla/database/upkeep-tables.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Selectable } from 'kysely';

/**
 * Why an installation may be a copy of another one: its database was restored, is another one than that in which it was written, or
 * Redis belongs to another installation.
 * `unknown`: Postgres has not answered yet, and Redis knows no installation either.
 */
export type QuarantineReason = 'restored' | 'copied' | 'other_redis' | 'unknown';
export type Quarantine = {
  reason: QuarantineReason;
  text: string;
  /** True if Redis may belong to an installation that is alive, so nothing in it may be changed. */
  redisOfOthers: boolean;
};

export type StoredInstallation = Selectable<InstallationTable>;

/** The value in Redis instead of an id while only a copy uses it. */
export const OF_A_COPY = 'quarantined';

const TEXTS: Record<Exclude<QuarantineReason, 'unknown'>, string> = {
  restored: 'the database was restored from a backup, and the installation that was backed up may still run',
  copied: 'the database is a copy of another one, whose installation may still run',
  other_redis: 'Redis belongs to another installation',
};

/** `held` is what Redis knows; null: nothing, as after it lost its data. */
export function quarantineOf(
  stored: StoredInstallation,
  identity: ServerIdentity,
  held: string | null,
): Quarantine | null {
  const reason = reasonOf(stored, identity, held);
  if (reason === null) return null;
  // A copy has the id of what it was copied from, so even a Redis that holds this id is not known to be its own.
  return { reason, text: TEXTS[reason], redisOfOthers: held !== null && held !== OF_A_COPY };
}

function reasonOf(
  stored: StoredInstallation,
  identity: ServerIdentity,
  held: string | null,
): keyof typeof TEXTS | null {
  if (stored.restored_from !== null) return 'restored';
  if (!isSameDatabase(stored, identity)) return 'copied';
  if (stored.takes_redis || held === stored.id) return null;
  if (held !== null && held === stored.former_id) return null;
  if (held !== null && held !== OF_A_COPY) return 'other_redis';
  // A base backup that was restored has another timeline, and so has a replica that was promoted; that one has its Redis.
  return isSame(stored.timeline, identity.timeline) ? null : 'copied';
}

export function isSameDatabase(stored: StoredInstallation, identity: ServerIdentity): boolean {
  return stored.database_oid === identity.database_oid && isSame(stored.server, identity.server);
}

/** A value that a server does not tell says nothing. */
function isSame(stored: string | null, found: string | null): boolean {
  return stored === null || found === null || stored === found;
}

/** Before Postgres has answered. `held` is as above; undefined: Redis has not answered. */
export function quarantineBefore(held: string | null | undefined): Quarantine | null {
  if (held !== null && held !== undefined && held !== OF_A_COPY) return null;
  if (held === OF_A_COPY) return { reason: 'copied', text: TEXTS.copied, redisOfOthers: false };
  const silent = held === null ? 'Postgres does not answer, and Redis knows none' : 'Postgres and Redis do not answer';
  return {
    reason: 'unknown',
    text: `the installation is not known yet: ${silent}`,
    redisOfOthers: held === undefined,
  };
}

/** For the probes. */
export function warningOf({ reason, text }: Quarantine): string {
  return reason === 'unknown' ? text : `in quarantine: ${text}`;
}

/** Without what is in the way, it is taken for that of a copy. */
export function quarantined(quarantine: Quarantine | null = null): FlotillaError {
  if (quarantine?.reason === 'unknown') return new FlotillaError('unavailable', `Try again later: ${quarantine.text}`);
  return new FlotillaError(
    'quarantined',
    'This installation is a copy in quarantine: it sends nothing until somebody says that it takes over (POST /api/system/adopt)',
  );
}
