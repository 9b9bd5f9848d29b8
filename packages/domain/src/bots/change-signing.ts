import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../audit/actor.ts';
import { botStore } from './bot-store.ts';
import { type ChangeRulesDeps, changeRules } from './change-rules.ts';
import { SEALED_PLACES } from './sealed-bot.ts';
import { newSigning, openSigning, rotatedSigning, type Signing, sealSigning } from './signing.ts';

export type SigningChange = 'enable' | 'rotate' | 'remove';

/**
 * Begins or ends to sign the deliveries of a bot's backend, or changes the secret; returns what signs now. Throws
 * 'not_found', or 'conflict' if they are signed already or are not.
 */
export async function changeSigning(
  deps: ChangeRulesDeps,
  by: Actor,
  botId: number,
  change: SigningChange,
): Promise<Signing | null> {
  return changeRules(deps, by, async (db) => {
    const bots = botStore(db);
    const row = await bots.lock(botId);
    if (row === undefined) throw new FlotillaError('not_found', 'Bot not found');
    const place = SEALED_PLACES.signing(botId);
    const result = changedSigning(openSigning(deps.secrets, row.signing_sealed, place), change, deps.clock.nowMs());
    await bots.update(botId, { signing_sealed: sealSigning(deps.secrets, result, place) });
    return { result, botIds: [botId], audited: { action: `signing_${change}`, botId, details: '' } };
  });
}

/** Throws 'conflict'. */
export function changedSigning(before: Signing | null, change: SigningChange, nowMs: number): Signing | null {
  if (change === 'enable') {
    if (before !== null) throw new FlotillaError('conflict', 'Deliveries are signed already; rotate the secret');
    return newSigning();
  }
  if (before === null) throw new FlotillaError('conflict', 'Deliveries are not signed');
  return change === 'rotate' ? rotatedSigning(before, nowMs) : null;
}
