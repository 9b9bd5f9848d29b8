import type { BackendState } from '@flotilla/contract/backend-states.ts';
import type { ReaderState } from '@flotilla/contract/readers.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { programReaderName } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { Quality } from '../../records/activity/reader-counts.ts';
import { listReaders } from '../readers/list-readers.ts';

/** How far a program is. */
export type ProgramState = {
  pending: number;
  state: ReaderState;
  polledAtMs: number | null;
  /** Of a program that pushes. */
  backendState: BackendState;
  /** The last error of delivery, while nothing has succeeded since, or why it was parked. */
  error: { message: string; atMs: number } | null;
  /** The same as of a reader. */
  quality: Quality | null;
};

const UNREAD: ProgramState = {
  pending: 0,
  state: 'ok',
  polledAtMs: null,
  backendState: 'ok',
  error: null,
  quality: null,
};

/** How far the programs of a bot are, at one moment. Throws 'unavailable' while Redis does not know the bot. */
export async function programStates(
  deps: { redis: RedisHandles; clock: Clock },
  bot: Bot,
): Promise<(programId: number) => ProgramState> {
  const readers = new Map((await listReaders(deps, bot)).map((reader) => [reader.reader, reader]));
  return (programId) => {
    const reader = readers.get(programReaderName(programId));
    if (reader === undefined) return UNREAD;
    const { state, behind, polledAtMs, breaker, quality } = reader;
    const backendState = state === 'failing' || state === 'open' ? state : 'ok';
    return { pending: behind, state, polledAtMs, backendState, error: breaker?.error ?? null, quality };
  };
}
