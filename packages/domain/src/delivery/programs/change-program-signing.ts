import { changeRules } from '../../fleet/bots/change-rules.ts';
import { changedSigning, type SigningChange } from '../../fleet/bots/change-signing.ts';
import type { Signing } from '../../fleet/bots/signing.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { creatorOf } from './creator.ts';
import { lockProgram } from './lock-program.ts';
import type { ProgramDeps } from './program-deps.ts';
import { programStore } from './program-store.ts';

/** Like changeSigning, for the backend of a program. Throws 'not_found' or 'conflict'. */
export async function changeProgramSigning(
  deps: ProgramDeps,
  by: Actor,
  id: number,
  change: SigningChange,
): Promise<Signing | null> {
  return changeRules(deps, by, async (db) => {
    const { bot_id, signing } = await lockProgram(db, deps.secrets, id);
    const { result, action } = changedSigning(signing, change, deps.clock.nowMs());
    await programStore(db, deps.secrets).setSigning(id, result, creatorOf(by));
    return { result, botIds: [bot_id], audited: { action, bot_id, details: `program ${id}` } };
  });
}
