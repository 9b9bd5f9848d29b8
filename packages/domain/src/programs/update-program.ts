import type { Actor } from '../audit/actor.ts';
import { changeRules } from '../bots/change-rules.ts';
import { maskedBackendUrl } from '../bots/masked-backend-url.ts';
import { auditedProgram } from './audited-program.ts';
import { checkProgram } from './check-program.ts';
import { lockProgram } from './lock-program.ts';
import type { Program, ProgramChanges } from './program.ts';
import type { ProgramDeps } from './program-deps.ts';
import { programStore } from './program-store.ts';
import { refuseFilter } from './refuse-filter.ts';
import { refuseKnownName } from './refuse-known-name.ts';

/**
 * Changes the named fields of a program; its cursor stays. A backend URL that is sent back masked is no change. Throws
 * 'not_found', 'conflict' (its name) or 'bad_request'.
 */
export async function updateProgram(
  deps: ProgramDeps,
  by: Actor,
  id: number,
  wanted: ProgramChanges,
  reason = '',
): Promise<Program> {
  const program = await changeRules(deps, by, async (db) => {
    const before = await lockProgram(db, deps.secrets, id);
    const changes = withSetter(withoutMask(before, wanted));
    checkProgram(deps, changes, before);
    const programs = programStore(db, deps.secrets);
    if (changes.filter !== undefined) refuseFilter(changes.filter, await programs.filters(before.botId, id));
    const result = await programs.update(id, { enabled: before.enabled, ...changes }).catch(refuseKnownName);
    const { enabled } = changes;
    const action = enabled === undefined ? 'program_update' : enabled ? 'program_enable' : 'program_disable';
    return { result, botIds: [before.botId], audited: auditedProgram(action, result, before, reason) };
  });
  // If this wake is lost, upkeep finds the pending turn.
  if (program.mode === 'push' && program.enabled) await deps.turns.programs.wake(id);
  return program;
}

/** A new URL is that of whoever gives it: people, unless a token is named. */
function withSetter(changes: ProgramChanges): ProgramChanges {
  return changes.backendUrl === undefined ? changes : { webhookTokenId: null, ...changes };
}

function withoutMask(program: Program, { backendUrl, ...changes }: ProgramChanges): ProgramChanges {
  const isMask = backendUrl !== '' && backendUrl === maskedBackendUrl(program);
  return isMask || backendUrl === undefined ? changes : { ...changes, backendUrl };
}
