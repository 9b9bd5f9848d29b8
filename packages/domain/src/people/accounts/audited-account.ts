import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import type { AuditedAction } from '../audit/audited-action.ts';
import { describeChanges, describeNew } from '../audit/describe-changes.ts';
import type { Account } from './account.ts';
import type { ApiKey } from './api-key.ts';

/** Something done to an account, for the audit log. */
export function auditedAccount(action: AuditAction, { id }: Pick<Account, 'id'>, ...details: string[]): AuditedAction {
  return { action, target: { kind: 'account', id }, details: details.filter((part) => part !== '').join('; ') };
}

/** Describes a new account for the audit log. */
export function describeNewAccount(account: Account): string {
  return describeNew(fieldsOfAccount(account));
}

/** Describes a change of an account for the audit log. */
export function describeAccountChanges(before: Account, after: Account): string {
  return describeChanges(fieldsOfAccount(before), fieldsOfAccount(after));
}

/** Something done to an API key of an account, for the audit log. */
export function auditedKey(
  action: AuditAction,
  key: Pick<ApiKey, 'id' | 'accountId' | 'name'>,
  ...details: string[]
): AuditedAction {
  return auditedAccount(action, { id: key.accountId }, `key ${key.id}`, describeNew({ name: key.name }), ...details);
}

/** Describes the rights of a new key for the audit log. */
export function describeNewKey(key: Pick<ApiKey, 'role' | 'botIds' | 'mcp' | 'expiresAt'>): string {
  const { role, botIds, mcp, expiresAt } = key;
  const chats = mcp?.chats.map(({ botId, chatId }) => ({ bot_id: botId, chat_id: chatId }));
  return describeNew({ role, bot_ids: botIds, mcp: mcp?.right, mcp_chats: chats, expires_at: expiresAt });
}

/** The names are those of the REST interface. */
function fieldsOfAccount(account: Account) {
  return {
    username: account.username,
    display_name: account.displayName,
    role: account.role,
    bot_ids: account.allBots ? 'all' : account.botIds.toSorted((one, other) => one - other),
    rights: account.rights.toSorted(),
    must_change_password: account.mustChangePassword,
  };
}
