import type { DeadLetter } from '@flotilla/contract/deliveries.ts';
import type { DeliveryJob, Refusal, RefusalCode } from '@flotilla/contract/delivery-jobs.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { sql } from 'kysely';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { within } from '../../people/accounts/scope.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';
import { heldKey, isHeldNow } from '../../records/takeover/held-chats.ts';
import { type DeadLetterQuery, deadLetterStore, type LetterCursor } from './dead-letter-store.ts';
import { describeFilter } from './delivery-filter.ts';
import { deliveryJobStore, filterOfJob, scopeOfJob } from './delivery-job-store.ts';
import { heldWith } from './held-with.ts';
import { parseReader, presentReader } from './reader-name.ts';
import { type RedriveDeps, redriveLetters } from './redrive-letters.ts';
import { sentBeside } from './sent-letters.ts';

export type JobDeps = RedriveDeps & { db: Database; directory: BotDirectory; clock: Clock };

/** A process that does not continue its job for this long has ended. */
export const TAKEN_FOR_MS = 10_000;
const BATCH = 200;
export const REFUSALS_LISTED = 100;
const LAST = Number.MAX_SAFE_INTEGER;

/** The codes of refusals in words. */
export const REFUSED: Record<Exclude<RefusalCode, 'unknown'>, string> = {
  history: 'Failed deliveries of the history cannot be redelivered',
  no_backend: 'The bot has no backend to send to, and no long polling',
  no_rules: 'The bot has no rules to run',
  program_deleted: 'The program was deleted',
  bot_deleted: 'The bot was deleted',
  chat_held: 'A person has taken the chat over; send them again when it is released',
  too_many_wait: 'Too many updates wait for this reader; send the rest when it has read them',
};
/** Why a reader that is off gets nothing. */
export const OFF = { push: 'no_backend', rules: 'no_rules', program: 'program_deleted' } as const;

/**
 * Handles the next failed deliveries of a job, at most 200 of one reader of one bot, in the order of their updates. `db` is a
 * transaction that has locked the job: letters, audit entry and progress change together. Returns the job as it is now,
 * and the letters that were redriven.
 */
export async function takeBatch(deps: JobDeps, job: DeliveryJob): Promise<{ job: DeliveryJob; sent: DeadLetter[] }> {
  const [letters, jobs] = [deadLetterStore(deps.db), deliveryJobStore(deps.db)];
  const next = await letters.lockNext(scopeOfJob(job), queryOf(job), cursorOf(job), BATCH);
  const [first] = next;
  const now = new Date(deps.clock.nowMs());
  if (first === undefined) return { job: await jobs.change(job.id, { finished_at: now }), sent: [] };
  const batch = next.filter(({ bot_id: bot, reader }) => bot === first.bot_id && reader === first.reader);
  await requireAuditable(deps.db);
  // The entry comes first, because what was redriven into Redis cannot be taken out again.
  await sql`savepoint unaudited`.execute(deps.db);
  if (job.audited_bot !== first.bot_id) await audit(deps, job, first.bot_id);
  const held = job.action === 'discard' ? new Set<number>() : await heldLetters(deps, batch);
  const free = batch.filter(({ id }) => !held.has(id));
  const place = job.action === 'discard' || free.length === 0 ? null : await redriveBatch(deps, free);
  const refusal = place === null || place === 'in_lanes' || place === 'in_log' ? null : place;
  const resume_at = new Date(deps.clock.nowMs() + TAKEN_FOR_MS);
  if (refusal !== null) {
    await sql`rollback to savepoint unaudited`.execute(deps.db);
    return { job: await refuse(deps, job, first, refusal, resume_at), sent: [] };
  }
  await letters.remove(free.map(({ id }) => id));
  const last = batch.at(-1)!;
  const changed = await jobs.change(job.id, {
    done: job.done + free.length,
    ...(held.size === 0 ? {} : refusedBeside(job, first, 'chat_held', held.size)),
    ...(place === 'in_lanes' ? { sent: sentBeside(job, first, free) } : {}),
    ...{ after_bot: last.bot_id, after_reader: last.reader, after_update: last.update_id, after_id: last.id },
    audited_bot: first.bot_id,
    resume_at,
    ...(next.length < BATCH && batch.length === next.length ? { finished_at: now } : {}),
  });
  return { job: changed, sent: job.action === 'redrive' ? free : [] };
}

type Known = keyof typeof REFUSED;

/** Where they are now, or why none of them can be sent. */
async function redriveBatch(deps: JobDeps, batch: DeadLetter[]): Promise<Known | 'in_lanes' | 'in_log'> {
  const { bot_id, reader: name } = batch[0]!;
  const { reader, program_id } = parseReader(name);
  if (reader === 'history') return 'history';
  if (!deps.directory.ready()) throw new FlotillaError('unavailable', 'The configuration of the bots is not known yet');
  const bot = deps.directory.byId(bot_id);
  if (bot === undefined) return 'bot_deleted';
  const outcome = await redriveLetters(deps, { reader, program_id }, bot, batch);
  switch (outcome) {
    case 'in_lanes':
    case 'in_log':
      return outcome;
    case 'off':
      return OFF[reader];
    case 'full':
      return 'too_many_wait';
  }
}

/** Those of chats that a person has taken over, unless their program gets them all the same. */
async function heldLetters(deps: JobDeps, batch: DeadLetter[]): Promise<Set<number>> {
  const { bot_id, reader } = batch[0]!;
  const { program_id } = parseReader(reader);
  if (deps.directory.byId(bot_id)?.programs.some(({ id, sees_held }) => id === program_id && sees_held))
    return new Set();
  const chats = batch.flatMap(({ id, payload }) => {
    const chat = heldWith(payload);
    return chat === null ? [] : [{ id, bot_id, ...chat }];
  });
  const ofChats = [...Map.groupBy(chats, heldKey).values()];
  const held = await Promise.all(ofChats.map((ofChat) => isHeldNow(deps, bot_id, ofChat[0]!)));
  return new Set(ofChats.filter((_, at) => held[at]).flatMap((ofChat) => ofChat.map(({ id }) => id)));
}

/** Refuses all that are left of this reader of the bot. */
async function refuse(
  deps: JobDeps,
  job: DeliveryJob,
  letter: DeadLetter,
  code: Known,
  resume_at: Date,
): Promise<DeliveryJob> {
  const { bot_id, reader } = letter;
  const count = await deadLetterStore(deps.db).countFrom(scopeOfJob(job), queryOf(job), cursorOf(job), letter);
  return deliveryJobStore(deps.db).change(job.id, {
    ...refusedBeside(job, letter, code, count),
    ...{ after_bot: bot_id, after_reader: reader, after_update: LAST, after_id: LAST },
    resume_at,
  });
}

/** The job's refusals with these; those of one reader and reason are one entry. */
function refusedBeside(
  job: DeliveryJob,
  { bot_id, reader }: Pick<DeadLetter, 'bot_id' | 'reader'>,
  code: Known,
  count: number,
): Pick<DeliveryJob, 'refused' | 'refusals'> {
  const refusals = JSON.parse(job.refusals) as Refusal[];
  const refusal: Refusal = { bot_id, ...presentReader(reader), count, code, reason: REFUSED[code] };
  const same = refusals.find(
    (one) =>
      one.bot_id === bot_id &&
      one.reader === refusal.reader &&
      one.program_id === refusal.program_id &&
      one.code === code,
  );
  const all = same === undefined ? [...refusals, refusal] : refusals;
  if (same !== undefined) same.count += count;
  return { refused: job.refused + count, refusals: JSON.stringify(all.slice(0, REFUSALS_LISTED)) };
}

/** One entry for each bot, with its first batch. */
async function audit(deps: JobDeps, job: DeliveryJob, bot_id: number): Promise<void> {
  const count = await deadLetterStore(deps.db).count(within(scopeOfJob(job), [bot_id]), queryOf(job));
  const details = `${describeFilter(filterOfJob(job))}; ${count} matched`;
  const key = `${job.action}:${job.id}:${bot_id}`;
  // The key is unique within a date, and a batch may be repeated later.
  const clock = { nowMs: () => job.created_at.getTime() };
  const done = { action: job.action, bot_id, details } as const;
  await recordAction({ db: deps.db, clock }, JSON.parse(job.actor) as Actor, done, key);
}

function queryOf(job: DeliveryJob): DeadLetterQuery {
  return { ...filterOfJob(job), upto_id: job.upto_id };
}

function cursorOf(job: DeliveryJob): LetterCursor {
  return { bot_id: job.after_bot, reader: job.after_reader, update_id: job.after_update, id: job.after_id };
}
