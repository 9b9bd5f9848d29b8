import type { AuditAction } from '@flotilla/contract/resources/audit-action.ts';
import type { AuditEntryResource } from '@flotilla/contract/resources/audit-entry.ts';
import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import type { AuditEntry } from '@flotilla/domain/audit/audit-store.ts';
import { withoutNulls } from '../without-nulls.ts';

/** Addresses and keys of other people are for admins. */
export function presentAuditEntry(caller: Caller, entry: AuditEntry): AuditEntryResource {
  const { id, chat_id, bot_id, action, actor_kind, actor_key_id, address, details, date } = entry;
  const { actor_id, actor_username, target_id, target_username } = entry;
  return {
    id,
    ...withoutNulls({ chat_id, bot_id }),
    action: action as AuditAction,
    actor_kind: actor_key_id === null ? actor_kind : 'key',
    ...withoutNulls({ actor_id, actor_username }),
    ...(caller.role === 'admin' ? withoutNulls({ actor_key_id, address }) : {}),
    ...withoutNulls({ target_id, target_username }),
    details,
    date,
  };
}
