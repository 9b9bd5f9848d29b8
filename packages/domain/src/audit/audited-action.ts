import type { AuditAction } from '@flotilla/contract/audit-actions.ts';

/** What was done. */
export interface AuditedAction {
  action: AuditAction;
  botId?: number;
  chatId?: number;
  target?: AuditTarget | null;
  details?: string;
}

/** The target. Accounts have their present name, users of a chat the name last seen there. */
export type AuditTarget =
  | { kind: 'user'; id: number }
  | { kind: 'message'; id: number }
  | { kind: 'account'; id: number };
