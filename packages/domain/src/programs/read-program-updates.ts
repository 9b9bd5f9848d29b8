import { setTimeout as delay } from 'node:timers/promises';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { ActiveProgram } from '../bots/active-program.ts';
import type { Bot } from '../bots/bot.ts';
import { type PullDeps, type PullRequest, programConsumer, readUpdates } from '../pull/read-updates.ts';

/** `kinds`: what the caller asks for; null for all that the program gets. */
type ProgramRequest = Omit<PullRequest, 'consumer' | 'kinds'> & { kinds: string[] | null };

/**
 * Returns the raw texts of a program's next updates; waits up to timeoutMs for the first. For a paused program it waits
 * and returns none, because a client that is answered at once asks again at once. Throws 'conflict' for one that pushes.
 */
export async function readProgramUpdates(
  deps: PullDeps,
  bot: Bot,
  program: ActiveProgram,
  request: ProgramRequest,
): Promise<string[]> {
  if (program.mode === 'push') throw new FlotillaError('conflict', 'The updates of the program go to its backend');
  if (!program.enabled) {
    await delay(request.timeoutMs, undefined, { signal: request.signal }).catch(() => undefined);
    return [];
  }
  const kinds = kindsOf(program, request.kinds);
  const consumer = programConsumer(program.id);
  return readUpdates(deps, bot, { ...request, consumer, kinds, takenKinds: request.kinds });
}

/** A program without kinds of its own gets what the caller names, else the default set. */
function kindsOf({ kinds }: ActiveProgram, asked: string[] | null): PullRequest['kinds'] {
  if (kinds.length === 0) return asked ?? 'default';
  return asked === null ? kinds : asked.filter((kind) => kinds.includes(kind));
}
