import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@flotilla/database/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { sliceUpdate } from '@flotilla/telegram/slice-updates.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import { programReaderName } from '../../fleet/bots/active-program.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';
import { readAttemptLine } from '../../records/journal/attempt-line.ts';
import { heldAs } from '../../records/takeover/held-chats.ts';
import { COPY_PREFIX } from '../lanes/claimed-unit.ts';
import { type BotWithBackend, keysOfProgram } from '../push/backend.ts';
import { type TestRoomDeps, withTestRoom } from '../push/test-room.ts';
import { heldWith, TAKEN_OVER } from './held-with.ts';
import { type ListedAttempt, listAttempts } from './list-attempts.ts';
import type { UpdateOutcome } from './readers-of-update.ts';
import { showUpdate } from './show-update.ts';

type ReplayDeps = TestRoomDeps & { db: Database; clock: Clock; turns: { push: TurnQueue; programs: TurnQueue } };

/** A person waits for the answer: a chat that is busy for longer gets no copy. */
const BEGINS_WITHIN_MS = 15_000;
/** With the time that an attempt may take. */
const ENDS_WITHIN_MS = BEGINS_WITHIN_MS + 65_000;
const LOOK_EVERY_MS = 200;
const LISTED = 100;

/** Why a reader gets no copy of an update that it never had, or that is still to come. */
const NO_COPY: Partial<Record<UpdateOutcome, string>> = {
  waiting: 'The update still waits for this reader: have it tried now instead',
  filtered: 'The update is not for this reader',
  dropped: 'A routing rule keeps the update from the backend',
  held: 'A person had taken the chat over, so this reader does not get the update',
};

/**
 * Sends a copy of an update to a backend once more: the same update id, marked, in the order of its chat. It is one
 * attempt, which is neither repeated nor counted. Throws 'not_found' when nothing or too little is known of the update,
 * 'conflict' when this reader is not to get it or earlier updates of the chat wait, and what a test delivery throws.
 */
export async function replayUpdate(
  deps: ReplayDeps,
  by: Actor,
  backend: BotWithBackend,
  updateId: number,
  signal: AbortSignal,
): Promise<ListedAttempt> {
  requireOn(backend);
  const raw = await findReplayable(deps, backend, updateId);
  return withTestRoom(deps, backend.id, async () => {
    const copy = `${COPY_PREFIX}${randomBytes(6).toString('hex')}`;
    await putInLane(deps, by, backend, { id: updateId, raw, copy });
    return untilAttempted(deps, backend, { updateId, copy }, signal);
  });
}

function requireOn({ disabled, backend_url: url, program }: BotWithBackend): void {
  if (disabled) throw new FlotillaError('bad_request', 'The bot is disabled');
  if (program !== undefined && program.mode !== 'push') {
    throw new FlotillaError('bad_request', 'The program polls; only a backend can get an update again');
  }
  if (url === '') throw new FlotillaError('bad_request', 'There is no backend URL to send to');
}

function readerName({ program }: BotWithBackend): string {
  return program === undefined ? 'push' : programReaderName(program.id);
}

async function findReplayable(deps: ReplayDeps, backend: BotWithBackend, updateId: number): Promise<string> {
  const look = async () => {
    const shown = await showUpdate(deps, backend, updateId);
    if (shown === null) throw new FlotillaError('not_found', 'Update not found: nothing is known of it any more');
    return { ...shown, outcome: shown.readers.find(({ reader }) => reader === readerName(backend))?.outcome };
  };
  let shown = await look();
  // Its delivery may have ended between the look at attempts and that at lanes.
  if (shown.outcome === undefined) shown = await look();
  const { outcome } = shown;
  if (outcome === undefined) throw new FlotillaError('conflict', 'This reader never had the update');
  const refusal = NO_COPY[outcome];
  if (refusal !== undefined) throw new FlotillaError('conflict', refusal);
  if (shown.raw === null) throw new FlotillaError('not_found', 'The text of the update is not kept any more');
  return shown.raw;
}

async function putInLane(
  deps: ReplayDeps,
  by: Actor,
  backend: BotWithBackend,
  { id, raw, copy }: { id: number; raw: string; copy: string },
): Promise<void> {
  const { program } = backend;
  const { state, holds, pendingTurns, ...ofBot } = botKeys(backend.id);
  const { lanes, redriven, work, lane, ...own } = keysOfProgram(backend) ?? { ...ofBot, state };
  const { kind, lane: chat } = readUpdateFacts(sliceUpdate(raw)?.value ?? {});
  const heldIn = program?.sees_held ? null : heldWith(raw);
  await deps.db.transaction().execute(async (db) => {
    await requireAuditable(db);
    const { outcome } = await scripts.replayUpdate(
      deps.redis.commands,
      { state, holds, lanes, redriven, work, pendingTurns, readerState: own.state },
      {
        ...{ ...registrationOf(backend), programId: program?.id ?? null },
        ...{ conversation: heldIn && heldAs(heldIn) },
        ...{ lanePrefix: lane(''), copyId: copy, id, kind, lane: chat, raw, beginsWithinMs: BEGINS_WITHIN_MS },
      },
    );
    if (outcome === 'GONE') throw new FlotillaError('not_found', 'Bot not found');
    if (outcome === 'OFF') throw new FlotillaError('bad_request', 'Nothing is sent to this backend now');
    if (outcome === 'HELD') throw new FlotillaError('conflict', TAKEN_OVER);
    if (outcome === 'WAITS') throw new FlotillaError('conflict', NO_COPY.waiting!);
    if (outcome === 'BEHIND') {
      throw new FlotillaError(
        'conflict',
        'Earlier updates of the chat wait for this backend; the copy would go before them',
      );
    }
    const details = `${program === undefined ? '' : `program ${program.id}; `}update_id: ${id}`;
    await recordAction({ ...deps, db }, by, { action: 'update_replay', bot_id: backend.id, details });
  });
  await (program === undefined ? deps.turns.push.wake(backend.id) : deps.turns.programs.wake(program.id));
}

/** The worker that sends the copy writes its attempt into the journal of the reader. */
async function untilAttempted(
  deps: ReplayDeps,
  backend: BotWithBackend,
  { updateId, copy }: { updateId: number; copy: string },
  signal: AbortSignal,
): Promise<ListedAttempt> {
  const { attempts, redriven, work } = keysOfProgram(backend) ?? botKeys(backend.id);
  let hasBegun = false;
  const endsAtMs = performance.now() + ENDS_WITHIN_MS;
  for (let waits = true; waits && performance.now() < endsAtMs; ) {
    const begun = Number(await deps.redis.commands.hget(work, `s:${copy}`));
    waits = (await deps.redis.commands.hexists(redriven, copy)) === 1;
    if (waits) hasBegun = begun > 0;
    const lines = await deps.redis.commands.lrange(attempts, 0, -1);
    const ended = lines.map(readAttemptLine).find((attempt) => attempt?.replay === copy);
    if (ended?.outcome === 'dropped') throw new FlotillaError('conflict', ended.error ?? NO_COPY.dropped!);
    if (ended) return findAttempt(deps, backend, updateId, copy);
    if (waits) await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted)
      throw new FlotillaError('unavailable', 'Nobody waits any more; look at the attempts of the update');
  }
  if (hasBegun)
    throw new FlotillaError('unavailable', 'The worker that sent the copy has ended; the backend may have it');
  throw new FlotillaError('conflict', 'Earlier updates of the chat took too long; the copy was not sent');
}

async function findAttempt(deps: ReplayDeps, backend: BotWithBackend, update_id: number, copy: string) {
  const query = {
    update_id,
    ...(backend.program === undefined ? { reader: 'push' as const } : { program_id: backend.program.id }),
  };
  const { attempts } = await listAttempts(deps, backend, query, { limit: LISTED, before: null });
  const found = attempts.find(({ replay }) => replay === copy);
  if (found === undefined) throw new FlotillaError('not_found', 'The attempt is not kept any more');
  return found;
}
