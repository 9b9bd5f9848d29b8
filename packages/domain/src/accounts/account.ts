import type { Role } from '@flotilla/contract/accounts.ts';

/** An account: it signs in or owns API keys. */
export interface Account {
  id: number;
  username: string;
  displayName: string;
  role: Role;
  /** Every bot, also those registered later; an admin sees every bot anyway. */
  allBots: boolean;
  botIds: readonly number[];
  mustChangePassword: boolean;
  /** Sessions that were opened under a smaller one have ended. */
  sessionEpoch: number;
  createdAt: Date;
  lastLoginAt: Date | null;
}
