import { type AuditEntry, type AuditEntryResource, auditEntry } from '@flotilla/contract/audit.ts';
import { answerOf } from '@flotilla/contract/resource.ts';

/** Only admins see addresses and API keys. */
export function presentAuditEntry(entry: AuditEntry, { toAdmin }: { toAdmin: boolean }): AuditEntryResource {
  return answerOf(auditEntry, {
    ...entry,
    ...(!toAdmin && { actor_key_id: null, address: null }),
    business_connection_id: entry.business_connection_id || undefined,
    actor_kind: entry.actor_key_id === null ? entry.actor_kind : 'key',
  });
}
