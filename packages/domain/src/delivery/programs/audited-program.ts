import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import { program as declared } from '@flotilla/contract/programs.ts';
import { settable } from '@flotilla/contract/resource.ts';
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
  return { action, bot_id: program.bot_id, details };
}

/** Uses the field names of the REST interface. */
function auditedFields(program: Program) {
  const { backend_url, secret_token, max_connections, silent_after_s, ...settings } = settable(declared, program);
  const { name, mode, kinds, filter, exclusive, order, enabled, ...others } = settings;
  return {
    ...{ name, mode, kinds, filter, exclusive, order, enabled, ...others },
    backend_url: backend_url === '' ? '' : { url: backend_url, shown: maskedBackendUrl(program) },
    secret_token,
    certificate: program.backend_certificate,
    ip_address: program.backend_ip_address,
    ...{ max_connections, silent_after_s },
    webhook_token_id: program.webhook_token_id,
    webhook_kinds: program.webhook_kinds,
  };
}

const SHOWN: Shown<ReturnType<typeof auditedFields>> = {
  secret_token: 'hidden',
  certificate: 'hidden',
  backend_url: (url) => (typeof url === 'string' ? url : url.shown),
};

/** The audit entry of a token that was made or revoked. */
export function auditedToken(action: AuditAction, { id, bot_id }: Program, token: ProgramToken): AuditedAction {
  const { name, methods, chats, threads, per_second, per_minute, priority, expires_at } = token;
  const given = { name, methods, chats, threads, per_second, per_minute, priority, expires_at };
  const details = `program ${id}, token ${token.id}; ${describeNew(given)}`;
  return { action, bot_id, details };
}
