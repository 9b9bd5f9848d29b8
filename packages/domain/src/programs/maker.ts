import type { Actor } from '../audit/actor.ts';

/** The account that made a token, a backend or a signing secret, with the username it had then. null: none, or not known. */
export type Maker = { by: string | null; byId: number | null; byKey: number | null };

/** A key is named too, because what was made with it stays when it is deleted. */
export function makerOf(actor: Actor): Maker {
  if (actor.kind !== 'account') return { by: null, byId: null, byKey: null };
  return { by: actor.username, byId: actor.accountId, byKey: actor.keyId };
}
