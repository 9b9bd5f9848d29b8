import { setTimeout as delay } from 'node:timers/promises';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { type ActiveProgram, programReaderName } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { kindsAsked } from '../../fleet/bots/wanted-kinds.ts';
import { NO_UPDATES, type PulledUpdates } from '../pull/pulled-updates.ts';
import { type PullDeps, type PullRequest, type Reading, readUpdates } from '../pull/read-updates.ts';

/** `kinds`: what the caller asks for; null for all that the program gets. */
type ProgramRequest = Omit<PullRequest, 'consumer' | 'takenKinds' | 'renew'>;
type ProgramPullDeps = PullDeps & { directory: Pick<BotDirectory, 'byProgram' | 'refresh'> };

/**
 * Returns a program's next updates; waits up to timeoutMs for the first. For a paused program it waits
 * and returns none, because a client that is answered at once asks again at once. Throws 'conflict' for one that pushes.
 */
export async function readProgramUpdates(
  deps: ProgramPullDeps,
  bot: Bot,
  program: ActiveProgram,
  request: ProgramRequest,
): Promise<PulledUpdates> {
  if (program.mode === 'push') throw new FlotillaError('conflict', 'The updates of the program go to its backend');
  if (!program.enabled) {
    await delay(request.timeoutMs, undefined, { signal: request.signal }).catch(() => undefined);
    return NO_UPDATES;
  }
  const consumer = programReaderName(program.id);
  return readUpdates(deps, bot, {
    ...request,
    consumer,
    kinds: kindsAsked(program, request.kinds),
    takenKinds: request.kinds,
    renew: () => readingNow(deps, program.id, request.kinds),
  });
}

/** Null ends the poll; the reason is in the answer to the client's next poll. */
async function readingNow(
  { directory }: ProgramPullDeps,
  programId: number,
  asked: PullRequest['kinds'],
): Promise<Reading | null> {
  await directory.refresh();
  const bot = directory.byProgram(programId);
  const program = bot?.programs.find(({ id }) => id === programId);
  if (bot === undefined || program === undefined || program.mode === 'push' || !program.enabled) return null;
  return { bot, kinds: kindsAsked(program, asked) };
}
