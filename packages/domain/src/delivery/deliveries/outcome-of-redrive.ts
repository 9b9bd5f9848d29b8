import type { DeliveryJob } from '@flotilla/contract/delivery-jobs.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { programOfReader } from '../../fleet/bots/active-program.ts';
import { readAttemptLine } from '../../records/journal/attempt-line.ts';
import { readLines } from '../../records/journal/read-lines.ts';
import { deadLetterStore } from './dead-letter-store.ts';
import { type SentLetters, sentOf } from './sent-letters.ts';

type Deps = { db: Database; redis: RedisHandles };

/** Of the letters that are followed: how many were delivered since, and how many became dead letters again. */
export type RedriveOutcome = { followed: number; delivered: number; failed_again: number };

/** Clocks of two machines differ by so much, although they are set right. */
const APART_MS = 1_000;
const ATTEMPTS_READ = 5_000;

/** The outcome of the letters that a redrive gave back; null for a job that is not followed. */
export async function outcomeOfRedrive(deps: Deps, job: DeliveryJob): Promise<RedriveOutcome | null> {
  if (job.sent === null) return null;
  const outcome: RedriveOutcome = { followed: 0, delivered: 0, failed_again: 0 };
  // One after the other: somebody asks every second or two.
  for (const sent of sentOf(job.sent)) {
    const { delivered, failed_again } = await outcomeOf(deps, job, sent);
    outcome.followed += sent.letters.length;
    outcome.delivered += delivered;
    outcome.failed_again += failed_again;
  }
  return outcome;
}

async function outcomeOf(deps: Deps, job: DeliveryJob, sent: SentLetters): Promise<Omit<RedriveOutcome, 'followed'>> {
  const { bot, reader, letters } = sent;
  const updates = letters.map(([, updateId]) => updateId);
  const places = placesOf(sent);
  const [died, waiting, arrived] = await Promise.all([
    deadLetterStore(deps.db).ofUpdatesAfter({ botId: bot, reader }, updates, job.upto_id),
    deps.redis.runMany(letters.map(([letterId]) => ['hexists', places.redriven, `r${letterId}`])) as Promise<number[]>,
    arrivedSince(deps, sent, places.attempts, job.created_at.getTime() - APART_MS),
  ]);
  const ended = updates.filter((_, at) => waiting[at] === 0);
  return {
    failed_again: ended.filter((id) => died.has(id)).length,
    // A rule may still try one of its chats when another has got the message.
    delivered: ended.filter((id) => !died.has(id) && arrived.has(id)).length,
  };
}

/** Where a reader keeps redriven updates until they have ended, and its attempts. */
function placesOf({ bot, reader }: SentLetters): { redriven: string; attempts: string } {
  const keys = botKeys(bot);
  if (reader === 'rules') return { redriven: keys.rulesRedriven, attempts: keys.rulesAttempts };
  const programId = programOfReader(reader);
  return programId === null ? keys : programKeys(bot, programId);
}

/** The updates that an attempt has delivered since then. */
async function arrivedSince(
  deps: Deps,
  { bot, reader, letters }: SentLetters,
  list: string,
  sinceMs: number,
): Promise<ReadonlySet<number>> {
  const followed = new Set(letters.map(([, updateId]) => updateId));
  const read = (_reader: string, line: string) => {
    const attempt = readAttemptLine(line);
    if (attempt === null || attempt.outcome !== 'delivered' || attempt.replay !== undefined) return null;
    const { updateId, atMs, destination = '' } = attempt;
    return atMs < sinceMs || !followed.has(updateId) ? null : { updateId, atMs, id: `${updateId} ${destination}` };
  };
  const query = { botId: bot, sources: [{ reader, list }], filter: { sinceMs, ok: true } };
  const { lines } = await readLines(deps, query, read, { limit: ATTEMPTS_READ, before: null });
  return new Set(lines.map(({ updateId }) => updateId));
}
