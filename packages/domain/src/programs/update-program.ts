import type { Actor } from '../audit/actor.ts';
import { type ChangeRulesDeps, changeRules } from '../bots/change-rules.ts';
import { auditedProgram } from './audited-program.ts';
import { lockProgram } from './lock-program.ts';
import type { Program, ProgramChanges } from './program.ts';
import { programStore } from './program-store.ts';
import { refuseKnownName } from './refuse-known-name.ts';

/** Changes the named fields of a program. Its cursor stays. Throws 'not_found', or 'conflict' (its name). */
export async function updateProgram(
  deps: ChangeRulesDeps,
  by: Actor,
  id: number,
  changes: ProgramChanges,
): Promise<Program> {
  return changeRules(deps, by, async (db) => {
    const before = await lockProgram(db, id);
    const result = await programStore(db)
      .update(id, { enabled: before.enabled, ...changes })
      .catch(refuseKnownName);
    const { enabled } = changes;
    const action = enabled === undefined ? 'program_update' : enabled ? 'program_enable' : 'program_disable';
    return { result, botIds: [before.botId], audited: auditedProgram(action, result, before) };
  });
}
