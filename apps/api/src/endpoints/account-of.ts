import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';

/** The account of a caller, as others of the team know it. */
export function accountOf({ account }: Caller): { account_id: number; account: string } {
  return { account_id: account.id, account: account.display_name || account.username };
}
