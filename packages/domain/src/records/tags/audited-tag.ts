import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import type { Tag } from '@flotilla/contract/tags.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { AuditedAction } from '../../people/audit/audited-action.ts';
import { describeNew } from '../../people/audit/describe-changes.ts';

/** Dependencies of changing tags. */
export type TagDeps = { db: Database; clock: Clock };

/** A change of a tag for the audit log. */
export function auditedTag(action: AuditAction, { id, bot_id, chat_id, user_id, tag, color }: Tag): AuditedAction {
  const details = `tag ${id}; ${describeNew({ tag, color })}`;
  return { action, bot_id, chat_id, target: { kind: 'user', id: user_id }, details };
}
