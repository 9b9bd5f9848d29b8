import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import { changeRules } from '../../fleet/bots/change-rules.ts';
import { nameKinds } from '../../fleet/bots/named-kinds.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { auditedProgram } from './audited-program.ts';
import { checkProgram } from './check-program.ts';
import { creatorOf } from './creator.ts';
import type { Program, ProgramContent } from './program.ts';
import type { ProgramDeps } from './program-deps.ts';
import { programStore } from './program-store.ts';
import { refuseFilter } from './refuse-filter.ts';
import { refuseKnownName } from './refuse-known-name.ts';
import { refuseLargePrograms } from './refuse-large-programs.ts';

/** Each trim of the log looks at every program of the bot, and every process holds all programs in its snapshot. */
const PROGRAMS_AT_MOST = 100;

/**
 * Adds a program, which reads from now on. Throws 'not_found' (the bot), 'conflict' (its name) or
 * 'bad_request'.
 */
export async function addProgram(
  deps: ProgramDeps,
  by: Actor,
  botId: number,
  content: ProgramContent,
): Promise<Program> {
  checkProgram(deps, content, null);
  const program = await changeRules(deps, by, async (db) => {
    // The lock also keeps two calls from adding the last one each.
    if (!(await botStore(db).lock(botId))) throw new FlotillaError('not_found', 'Bot not found');
    const programs = programStore(db, deps.secrets);
    if ((await programs.count(botId)) >= PROGRAMS_AT_MOST) {
      throw new FlotillaError('bad_request', `A bot can have at most ${PROGRAMS_AT_MOST} programs`);
    }
    refuseFilter(content.filter, await programs.filters(botId));
    const result = await programs.insert(botId, content, creatorOf(by)).catch(refuseKnownName);
    await refuseLargePrograms(db, botId);
    return { result, botIds: [botId], audited: auditedProgram('program_add', result) };
  });
  await nameKinds(deps, { id: botId, named_kinds: [] }, program.kinds);
  // Its turn is pending from now on, so no update would wake it. If this wake is lost, upkeep finds the pending turn.
  if (program.mode === 'push' && program.enabled) await deps.turns.programs.wake(program.id);
  return program;
}
