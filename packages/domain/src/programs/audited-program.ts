import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import type { AuditedAction } from '../audit/audited-action.ts';
import { describeChanges, describeNew } from '../audit/describe-changes.ts';
import type { Program } from './program.ts';
import type { ProgramToken } from './program-token.ts';

/** The audit entry of a changed program; without `before` it describes the whole program. */
export function auditedProgram(action: AuditAction, program: Program, before?: Program): AuditedAction {
  const after = auditedFields(program);
  const changes = before === undefined ? describeNew(after) : describeChanges(auditedFields(before), after);
  return { action, botId: program.botId, details: `program ${program.id}${changes === '' ? '' : `; ${changes}`}` };
}

/** Uses the field names of the REST interface. */
function auditedFields({ name, mode, kinds, enabled }: Program) {
  return { name, mode, kinds, enabled };
}

/** The audit entry of a token that was made or revoked. */
export function auditedToken(action: AuditAction, { id, botId }: Program, token: ProgramToken): AuditedAction {
  const { name, methods, chats, perSecond, perMinute, expiresAt } = token;
  const limits = { methods, chats, per_second: perSecond, per_minute: perMinute, expires_at: expiresAt };
  const details = `program ${id}, token ${token.id}; ${describeNew({ name, ...limits })}`;
  return { action, botId, details };
}
