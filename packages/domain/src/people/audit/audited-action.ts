import type { AuditAction } from '@flotilla/contract/audit-actions.ts';

/** An action for the audit log. */
export interface AuditedAction {
  action: AuditAction;
  botId?: number;
  chatId?: number;
  /** '' outside business connections. */
  businessConnectionId?: string;
  target?: AuditTarget | null;
  details?: string;
}

/** The target of an action. Accounts get their present name; users of a chat get the name last seen there. */
export type AuditTarget =
  | { kind: 'user'; id: number }
  | { kind: 'message'; id: number }
  | { kind: 'account'; id: number };
