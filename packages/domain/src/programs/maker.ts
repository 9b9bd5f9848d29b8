import type { Actor } from '../audit/actor.ts';

/** The account that made a token, a backend or a signing secret, by the username it had then. null: none, or not known. */
export type Maker = { by: string | null; byKey: number | null };

/** A key is named too, because what was made with it stays when it is deleted. */
export function makerOf(actor: Actor): Maker {
  return actor.kind === 'account' ? { by: actor.username, byKey: actor.keyId } : { by: null, byKey: null };
}
