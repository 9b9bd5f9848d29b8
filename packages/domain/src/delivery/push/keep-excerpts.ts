import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Attempt } from '../../records/journal/attempt-line.ts';
import { type BotWithBackend, keysOfProgram } from './backend.ts';
import type { ResponseExcerpt } from './response-excerpt.ts';

/** The excerpt of an attempt, which it names by its update, its time and its number. */
export type KeptExcerpt = ResponseExcerpt & AttemptName;

type AttemptName = Pick<Attempt, 'atMs' | 'updateId' | 'attempt'>;
type Settled = { attempts?: AttemptName[]; excerpt?: ResponseExcerpt | null };

const KEPT = 20;
const KEPT_MS = 86_400_000;

/**
 * Keeps the beginnings of the newest 20 failed answers of a bot for a day. They are stored apart from the attempts,
 * because a hundred of them for 10,000 bots would take a gigabyte. A failure here only loses them.
 */
export async function keepExcerpts(
  { redis }: { redis: RedisHandles },
  backend: BotWithBackend,
  settled: Settled[],
): Promise<void> {
  const kept = settled.flatMap(({ attempts: [tried] = [], excerpt }): KeptExcerpt[] => {
    if (tried === undefined || !excerpt) return [];
    const { atMs, updateId, attempt } = tried;
    return [{ atMs, updateId, attempt, ...excerpt }];
  });
  if (kept.length === 0) return;
  const { excerpts } = keysOfProgram(backend) ?? botKeys(backend.id);
  const newest = kept.slice(-KEPT).map((excerpt) => JSON.stringify(excerpt));
  await redis
    .runMany([
      ['lpush', excerpts, ...newest],
      ['ltrim', excerpts, 0, KEPT - 1],
      ['pexpire', excerpts, KEPT_MS],
    ])
    .catch(() => undefined);
}
