import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import { maskedBackendUrl } from '../../fleet/bots/masked-backend-url.ts';
import type { AuditedAction } from '../../people/audit/audited-action.ts';
import { describeChanges, describeNew, type Shown } from '../../people/audit/describe-changes.ts';
import type { Program } from './program.ts';
import type { ProgramToken } from './program-token.ts';

/**
 * The audit entry of a changed program; without `before` it describes the whole program. `reason`: why it was changed, if
 * the actor did not ask for it.
 */
export function auditedProgram(action: AuditAction, program: Program, before?: Program, reason = ''): AuditedAction {
  const after = auditedFields(program);
  const changes =
    before === undefined ? describeNew(after, SHOWN) : describeChanges(auditedFields(before), after, SHOWN);
  const details = [`program ${program.id}`, changes, reason].filter((part) => part !== '').join('; ');
  return { action, botId: program.botId, details };
}

/** Uses the field names of the REST interface. */
function auditedFields(program: Program) {
  const { name, mode, kinds, filter, exclusive, order, enabled, backendUrl } = program;
  return {
    ...{ name, mode, kinds, filter, exclusive, order, enabled, sees_held: program.seesHeld },
    priority: program.priority,
    backend_url: backendUrl === '' ? '' : { url: backendUrl, shown: maskedBackendUrl(program) },
    secret_token: program.secretToken,
    certificate: program.backendCertificate,
    ip_address: program.backendIpAddress,
    max_connections: program.maxConnections,
    silent_after_s: program.silentAfterS,
    webhook_token_id: program.webhookTokenId,
    webhook_kinds: program.webhookKinds,
  };
}

const SHOWN: Shown<ReturnType<typeof auditedFields>> = {
  secret_token: 'hidden',
  certificate: 'hidden',
  backend_url: (url) => JSON.stringify(typeof url === 'string' ? url : url.shown),
};

/** The audit entry of a token that was made or revoked. */
export function auditedToken(action: AuditAction, { id, botId }: Program, token: ProgramToken): AuditedAction {
  const { name, methods, chats, threads, perSecond, perMinute, priority, expiresAt } = token;
  const limits = {
    methods,
    chats,
    threads,
    per_second: perSecond,
    per_minute: perMinute,
    priority,
    expires_at: expiresAt,
  };
  const details = `program ${id}, token ${token.id}; ${describeNew({ name, ...limits })}`;
  return { action, botId, details };
}
