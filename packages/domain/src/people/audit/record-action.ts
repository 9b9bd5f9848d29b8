import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { type Actor, withProgram } from './actor.ts';
import { auditStore } from './audit-store.ts';
import type { AuditedAction } from './audited-action.ts';

const DETAILS_LENGTH = 2_000;

/**
 * Adds an entry to the audit log. If the change itself is in Postgres, pass its transaction, so that both are stored or
 * neither. Of two entries with the same key and the same second, only one is stored.
 */
export async function recordAction(
  { db, clock }: { db: Database; clock: Clock },
  by: Actor,
  done: AuditedAction,
  key: string | null = null,
): Promise<void> {
  const details = withProgram(by, done.details ?? '');
  const cut = details.length > DETAILS_LENGTH ? `${details.slice(0, DETAILS_LENGTH)}…` : details;
  const dateS = Math.floor(clock.nowMs() / 1000);
  await auditStore(db).insert(by, { ...done, details: cut }, dateS, key);
}
