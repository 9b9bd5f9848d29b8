import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import type { Actor } from '@flotilla/domain/audit/actor.ts';

/** Who stands behind a call, for the audit log; null: somebody who is not signed in yet. */
export function actorOf(caller: Caller | null, address: string | null): Actor {
  if (caller === null) return { kind: 'nobody', address };
  const { account, apiKey } = caller;
  return { kind: 'account', accountId: account.id, username: account.username, keyId: apiKey?.id ?? null, address };
}
