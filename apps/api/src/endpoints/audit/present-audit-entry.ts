import type { AuditEntryResource } from '@flotilla/contract/resources/audit-entry.ts';
import type { AuditEntry } from '@flotilla/domain/audit/audit-store.ts';
import { withoutNulls } from '../without-nulls.ts';

export function presentAuditEntry(entry: AuditEntry): AuditEntryResource {
  const { id, chat_id, bot_id, action, actor_kind, actor_id, details, date } = entry;
  const { actor_username, target_id, target_username } = entry;
  const names = withoutNulls({ actor_username, target_id, target_username });
  return { id, chat_id, bot_id, action, actor_kind, actor_id, ...names, details, date };
}
