import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { botStore } from './bot-store.ts';
import { type ChangeRulesDeps, changeRules } from './change-rules.ts';
import { SEALED_PLACES } from './sealed-bot.ts';
import { newSigning, openSigning, rotatedSigning, type Signing, sealSigning } from './signing.ts';

export type SigningChange = 'rotate' | 'remove';

/**
 * Makes, replaces or removes the secret that signs the deliveries of a bot's backend; returns what signs now. Throws
 * 'not_found', or 'conflict' if there is none to remove.
 */
export async function changeSigning(
  deps: ChangeRulesDeps,
  by: Actor,
  bot_id: number,
  change: SigningChange,
): Promise<Signing | null> {
  return changeRules(deps, by, async (db) => {
    const bots = botStore(db);
    const row = await bots.lock(bot_id);
    if (row === undefined) throw new FlotillaError('not_found', 'Bot not found');
    const place = SEALED_PLACES.signing(bot_id);
    const before = openSigning(deps.secrets, row.signing_sealed, place);
    const { result, action } = changedSigning(before, change, deps.clock.nowMs());
    await bots.update(bot_id, { signing_sealed: sealSigning(deps.secrets, result, place) });
    return { result, botIds: [bot_id], audited: { action, bot_id, details: '' } };
  });
}

type ChangedSigning = { result: Signing | null; action: 'signing_enable' | 'signing_rotate' | 'signing_remove' };

/** Throws 'conflict' if there is no secret to remove. */
export function changedSigning(before: Signing | null, change: SigningChange, nowMs: number): ChangedSigning {
  if (change === 'remove') {
    if (before === null) throw new FlotillaError('conflict', 'Deliveries are not signed');
    return { result: null, action: 'signing_remove' };
  }
  if (before === null) return { result: newSigning(), action: 'signing_enable' };
  return { result: rotatedSigning(before, nowMs), action: 'signing_rotate' };
}
