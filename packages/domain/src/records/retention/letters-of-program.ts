import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

/**
 * An exclusive dead letter of a deleted program becomes one of the bot's own readers, as what it had not
 * acknowledged does (apply-bot.lua): nobody else has it.
 */
export function leftByProgram(programId: number, reason: string) {
  return {
    reader: 'push',
    reason_code: 'backend_removed' as const,
    reason: `${why(programId)} (${reason})`,
    exclusive: false,
  };
}

/**
 * Leaves up to `limit` dead letters of a deleted program to its bot, if the program took them alone, and deletes as many
 * others. Returns how many were handled.
 */
export async function leaveLettersOfProgram(
  db: Database,
  { bot_id, programId }: { bot_id: number; programId: number },
  limit: number,
): Promise<number> {
  const some = (exclusive: boolean) => sql`
    id = any (array(
      select id from dead_letters
      where bot_id = ${bot_id} and reader = ${`program:${programId}`} and exclusive = ${exclusive}::boolean
      limit ${limit}))`;
  const left = await sql`
    update dead_letters
    set reader = 'push', reason_code = 'backend_removed', exclusive = false,
      reason = ${why(programId)}::text || ' (' || reason || ')'
    where ${some(true)}`.execute(db);
  const deleted = await sql`delete from dead_letters where ${some(false)}`.execute(db);
  return Number(left.numAffectedRows ?? 0) + Number(deleted.numAffectedRows ?? 0);
}

function why(programId: number): string {
  return `program ${programId}, which took it alone, was deleted`;
}
