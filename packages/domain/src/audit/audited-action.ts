import type { AuditAction } from '@flotilla/contract/audit-actions.ts';

/** What was done. */
export interface AuditedAction {
  action: AuditAction;
  botId?: number;
  chatId?: number;
  target?: AuditTarget | null;
  details?: string;
}

/** Whom or what it was done to; people are named as they are called now, users of a chat as last seen there. */
export type AuditTarget =
  | { kind: 'user'; id: number }
  | { kind: 'message'; id: number }
  | { kind: 'account'; id: number };
