import { type ChangeRulesDeps, changeRules } from '../../fleet/bots/change-rules.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { auditedProgram } from './audited-program.ts';
import { lockProgram } from './lock-program.ts';
import type { Program } from './program.ts';
import { programStore } from './program-store.ts';

/**
 * Deletes a program with its cursor, its lanes and its dead letters, but for what it took alone: that is left to the bot
 * as dead letters. Throws 'not_found'.
 */
export async function deleteProgram(
  deps: ChangeRulesDeps,
  by: Actor,
  id: number,
  check?: (program: Program) => void,
): Promise<void> {
  await changeRules(deps, by, async (db) => {
    const program = await lockProgram(db, deps.secrets, id);
    check?.(program);
    await programStore(db, deps.secrets).remove(program);
    return { result: undefined, botIds: [program.bot_id], audited: auditedProgram('program_delete', program) };
  });
}
