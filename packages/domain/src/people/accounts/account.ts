import type { accountResource } from '@flotilla/contract/accounts.ts';
import type { Row } from '@flotilla/contract/resource.ts';

export type AccountRow = Row<typeof accountResource>;

/** An account: it signs in or owns API keys. */
export type Account = Omit<AccountRow, 'username_key' | 'password_hash'> & {
  bot_ids: readonly number[];
  /** The bots that have one of its labels now. */
  labelled_bot_ids: readonly number[];
  second_factor: boolean;
};
