import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import { redactSecrets } from '@flotilla/runtime/logger.ts';
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
  key: Pick<ApiKey, 'id' | 'account_id' | 'name'>,
  ...details: string[]
): AuditedAction {
  return auditedAccount(action, { id: key.account_id }, `key ${key.id}`, describeNew({ name: key.name }), ...details);
}

type NewKey = Pick<
  ApiKey,
  'id' | 'account_id' | 'name' | 'role' | 'bot_ids' | 'bot_labels' | 'mcp' | 'mcp_chats' | 'expires_at'
>;

/** A new API key with its rights, for the audit log; its event says the name and the role. */
export function auditedNewKey(key: NewKey, ...details: string[]): AuditedAction {
  const { name, role, bot_ids, bot_labels, mcp, mcp_chats, expires_at } = key;
  const rights = describeNew({ role, bot_ids, bot_labels, mcp, mcp_chats, expires_at });
  return { ...auditedKey('key_add', key, rights, ...details), named: `${redactSecrets(name)} (${role})` };
}

function fieldsOfAccount({ all_bots, bot_ids, bot_labels, rights, must_change_password, ...account }: Account) {
  const { username, display_name, role, oidc_subject } = account;
  const bots = all_bots ? 'all' : bot_ids.toSorted((one, other) => one - other);
  const reach = { bot_ids: bots, bot_labels: bot_labels.toSorted(), rights: rights.toSorted() };
  return { username, display_name, role, ...reach, must_change_password, oidc_subject };
}
