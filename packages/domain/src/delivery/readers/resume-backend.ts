import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type ActiveProgram, programReaderName } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';
import { allowTry } from './allow-try.ts';

type ResumeDeps = { db: Database; redis: RedisHandles; clock: Clock; turns: { push: TurnQueue; programs: TurnQueue } };

/**
 * Sends what waits for the backend of the bot, or of one of its programs, now instead of later; while the breaker is
 * open, one probe. Throws 'bad_request' when nothing is sent to that backend,
 * 'too_many_requests' when it was tried in the last second.
 */
export async function resumeBackend(deps: ResumeDeps, by: Actor, bot: Bot, program?: ActiveProgram): Promise<void> {
  if (bot.disabled) throw new FlotillaError('bad_request', 'The bot is disabled');
  const { state, pendingTurns, ...ofBot } = botKeys(bot.id);
  const reader = program === undefined ? { state, lanes: ofBot.lanes } : programKeys(bot.id, program.id);
  await allowTry(deps.redis, bot.id, program === undefined ? 'push' : programReaderName(program.id));
  await deps.db.transaction().execute(async (db) => {
    await requireAuditable(db);
    const { outcome } = await scripts.resumeBackend(
      deps.redis.commands,
      { state, lanes: reader.lanes, pendingTurns, readerState: reader.state },
      {
        ...registrationOf(bot),
        programId: program?.id ?? null,
      },
    );
    if (outcome === 'GONE') throw new FlotillaError('not_found', 'Bot not found');
    if (outcome !== 'OK') throw new FlotillaError('bad_request', whyNothingIsSent(program));
    const details = program === undefined ? {} : { details: `program ${program.id}` };
    await recordAction({ ...deps, db }, by, { action: 'backend_resume', bot_id: bot.id, ...details });
  });
  await (program === undefined ? deps.turns.push.wake(bot.id) : deps.turns.programs.wake(program.id));
}

function whyNothingIsSent(program: ActiveProgram | undefined): string {
  if (program === undefined) return 'The bot has no backend to send to';
  return program.mode === 'push' && !program.enabled
    ? 'The program is paused'
    : 'The program has no backend to send to';
}
