import type { Actor } from '../../people/audit/actor.ts';

/** The account that gave a backend or a signing secret, with the username it had then. null: none. */
export type Creator = { by: string | null; byKey: number | null };

/** A key is named too, because what was made with it stays when it is deleted. */
export function creatorOf(actor: Actor): Creator {
  if (actor.kind !== 'account') return { by: null, byKey: null };
  return { by: actor.username, byKey: actor.keyId };
}
