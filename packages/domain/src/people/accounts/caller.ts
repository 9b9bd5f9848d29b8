import { ACCOUNT_RIGHTS, type AccountRight } from '@flotilla/contract/account-rights.ts';
import type { Role } from '@flotilla/contract/accounts.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Account } from './account.ts';
import type { ApiKey } from './api-key.ts';

/** The author of a request, with the rights of the credential, which never exceed those of the account. */
export interface Caller {
  account: Account;
  role: Role;
  bots: 'all' | ReadonlySet<number>;
  /** Beside the role; an admin has all of them. */
  rights: readonly AccountRight[];
  /** null: signed in with a session. */
  apiKey: ApiKey | null;
}

/** The rights of the account, narrowed by the key if one was used. */
export function callerOf(account: Account, apiKey: ApiKey | null = null): Caller {
  const role = apiKey?.role === 'user' ? 'user' : account.role;
  const rights = role === 'admin' ? ACCOUNT_RIGHTS : account.rights;
  const ofAccount: Caller['bots'] = seesAllBots(account) ? 'all' : new Set(account.botIds);
  const keyBots = apiKey?.botIds ?? null;
  if (keyBots === null) return { account, role, bots: ofAccount, rights, apiKey };
  const bots = new Set(keyBots.filter((id) => ofAccount === 'all' || ofAccount.has(id)));
  return { account, role, bots, rights, apiKey };
}

export function seesAllBots(account: Account): boolean {
  return account.role === 'admin' || account.allBots;
}

export function seesBot(caller: Caller, botId: number): boolean {
  return caller.bots === 'all' || caller.bots.has(botId);
}

/** A key for MCP sees the chats that it names; any other caller sees those of its bots. */
export function seesChat(caller: Caller, chat: { botId: number; chatId: number }): boolean {
  const named = caller.apiKey?.mcp?.chats;
  const isNamed = named?.some(({ botId, chatId }) => botId === chat.botId && chatId === chat.chatId) ?? true;
  return isNamed && seesBot(caller, chat.botId);
}

/** Throws 'forbidden' unless the caller acts as an admin. */
export function requireAdmin(caller: Caller): void {
  if (caller.role !== 'admin') throw new FlotillaError('forbidden', 'Admin role required');
}
