import type { AuditAction } from '@flotilla/contract/audit-actions.ts';

/** An action for the audit log. */
export interface AuditedAction {
  action: AuditAction;
  bot_id?: number;
  chat_id?: number;
  /** '' outside business connections. */
  business_connection_id?: string;
  target?: AuditTarget | null;
  details?: string;
  /** How its event names the target, where the details would be too long for a sentence. */
  named?: string;
}

/** The target of an action. Accounts get their present name; users of a chat get the name last seen there. */
export type AuditTarget =
  | { kind: 'user'; id: number }
  | { kind: 'message'; id: number }
  | { kind: 'account'; id: number };
