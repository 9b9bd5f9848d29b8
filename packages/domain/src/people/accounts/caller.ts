import { ACCOUNT_RIGHTS, type AccountRight } from '@flotilla/contract/account-rights.ts';
import type { Role } from '@flotilla/contract/accounts.ts';
import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Account } from './account.ts';
import type { ApiKey } from './api-key.ts';
import { type Scope, scopeOf, sees } from './scope.ts';

/** The author of a request, with the rights of the credential, which never exceed those of the account. */
export interface Caller {
  account: Account;
  role: Role;
  scope: Scope;
  /** Beside the role; an admin has all of them. */
  rights: readonly AccountRight[];
  /** null: signed in with a session. */
  apiKey: ApiKey | null;
}

/** The rights of the account, narrowed by the key if one was used. */
export function callerOf(account: Account, apiKey: ApiKey | null = null): Caller {
  const role = apiKey?.role === 'user' ? 'user' : account.role;
  const rights = role === 'admin' ? ACCOUNT_RIGHTS : account.rights;
  return { account, role, scope: scopeOf(account, apiKey), rights, apiKey };
}

export function seesBot({ scope }: Caller, botId: number): boolean {
  return sees(scope, botId);
}

/** A key for MCP sees the chats that it names; any other caller sees those of its bots. */
export function seesChat(caller: Caller, chat: ChatOfBot): boolean {
  const { mcp = null, mcp_chats = null } = caller.apiKey ?? {};
  const isNamed = mcp === null || isAmong(chat, mcp_chats ?? []);
  return isNamed && seesBot(caller, chat.bot_id);
}

export function isAmong(chat: ChatOfBot, chats: readonly ChatOfBot[]): boolean {
  return chats.some(({ bot_id, chat_id }) => bot_id === chat.bot_id && chat_id === chat.chat_id);
}

/** Throws 'forbidden' unless the caller acts as an admin. */
export function requireAdmin(caller: Caller): void {
  if (caller.role !== 'admin') throw new FlotillaError('forbidden', 'Admin role required');
}
