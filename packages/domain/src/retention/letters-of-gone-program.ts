import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { STEP_ROWS, type StepDeps, takeSteps } from './take-steps.ts';

/**
 * What a deleted program took alone and gave up becomes a dead letter of the bot's own readers, as what it had not
 * acknowledged does (apply-bot.lua): nobody else has it.
 */
export function takenByGoneProgram(programId: number, reason: string) {
  return {
    reader: 'push',
    reason_code: 'backend_removed' as const,
    reason: `${why(programId)} (${reason})`,
    taken: null,
  };
}

/**
 * Leaves up to `limit` dead letters of a deleted program to its bot, if the program took them alone, and deletes as many
 * others. `ifUnknown` says which rows of earlier releases are, which do not tell it. Returns how many were handled.
 */
export async function leaveLettersOfProgram(
  db: Database,
  { botId, programId, ifUnknown }: { botId: number; programId: number; ifUnknown: boolean },
  limit: number,
): Promise<number> {
  const some = (taken: boolean) => sql`
    id = any (array(
      select id from dead_letters
      where bot_id = ${botId} and reader = ${`program:${programId}`} and coalesce(taken, ${ifUnknown}::boolean) = ${taken}::boolean
      limit ${limit}))`;
  const left = await sql`
    update dead_letters
    set reader = 'push', reason_code = 'backend_removed', taken = null,
      reason = ${why(programId)}::text || ' (' || reason || ')'
    where ${some(true)}`.execute(db);
  const deleted = await sql`delete from dead_letters where ${some(false)}`.execute(db);
  return Number(left.numAffectedRows ?? 0) + Number(deleted.numAffectedRows ?? 0);
}

/**
 * Does the same, in small steps, for programs that are gone although dead letters name them: an earlier release stored
 * these after the deletion. What it does not tell to be taken is deleted.
 */
export async function leaveLettersOfGonePrograms(deps: StepDeps): Promise<'done' | 'elsewhere' | 'aborted'> {
  let gone: { botId: number; programId: number }[] | null = null;
  return takeSteps(deps, async (transaction) => {
    gone ??= await goneProgramsWithLetters(transaction);
    const [program] = gone;
    if (program === undefined) return 'done';
    const handled = await leaveLettersOfProgram(
      transaction,
      { ...program, ifUnknown: false },
      deps.stepRows ?? STEP_ROWS,
    );
    if (handled === 0) gone.shift();
    return 'more';
  });
}

async function goneProgramsWithLetters(db: Database): Promise<{ botId: number; programId: number }[]> {
  // One look at the index for each reader of each bot, and not one for each dead letter.
  const { rows } = await sql<{ botId: number; programId: number }>`
    with recursive readers as (
      (select bot_id, reader from dead_letters order by bot_id, reader limit 1)
      union all
      select next.bot_id, next.reader from readers cross join lateral (
        select bot_id, reader from dead_letters d
        where (d.bot_id, d.reader) > (readers.bot_id, readers.reader) order by bot_id, reader limit 1
      ) as next
    )
    select bot_id as "botId", substring(reader from 9)::bigint as "programId" from readers
    where reader like 'program:%' and not exists (
      select from programs where programs.id = substring(readers.reader from 9)::bigint)
    order by bot_id, reader`.execute(db);
  return rows;
}

function why(programId: number): string {
  return `program ${programId}, which took it alone, was deleted`;
}
