import type { AccountRight } from '@flotilla/contract/account-rights.ts';
import type { Role } from '@flotilla/contract/accounts.ts';

/** An account: it signs in or owns API keys. */
export interface Account {
  id: number;
  username: string;
  displayName: string;
  role: Role;
  /** True if the account sees every bot, also those registered later. An admin sees every bot anyway. */
  allBots: boolean;
  botIds: readonly number[];
  /** Beside the role; an admin has all of them. */
  rights: readonly AccountRight[];
  mustChangePassword: boolean;
  /** Sessions opened under a lower version have ended. */
  sessionVersion: number;
  createdAt: Date;
  lastLoginAt: Date | null;
}
