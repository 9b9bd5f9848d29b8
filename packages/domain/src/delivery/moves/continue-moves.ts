import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { openBot } from '../../fleet/bots/bot-row.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import { republishBots } from '../../fleet/bots/republish-bots.ts';
import { type BotMove, botMoveStore } from './bot-move-store.ts';
import type { MoveDeps } from './move-deps.ts';
import { STEPS, type StepEnd, type StepWait } from './move-steps.ts';

const RENEW_EVERY_MS = 5_000;
const AFTER_FAILURE_S = 5;

/**
 * Goes on with moves that are due, one after the other, until they wait or the signal aborts. A step that was interrupted is done
 * again.
 */
export async function continueMoves(deps: MoveDeps, signal: AbortSignal): Promise<void> {
  if (!deps.directory.ready()) return;
  while (!signal.aborted) {
    const move = await botMoveStore(deps.db).take();
    if (move === null) return;
    await advance(deps, move, signal);
  }
}

/** Takes steps until one waits. */
async function advance(deps: MoveDeps, taken: BotMove, stopping: AbortSignal): Promise<void> {
  const moves = botMoveStore(deps.db);
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const renew = async () => (await moves.renew(taken)) || lost.abort();
  const renewing = setInterval(() => void renew().catch(() => undefined), RENEW_EVERY_MS);
  try {
    let move: BotMove | null = taken;
    while (move !== null && !signal.aborted) {
      const row = await botStore(deps.db).byId(move.bot_id);
      if (row === undefined) return;
      const end: StepEnd = await STEPS[move.step]({ ...deps, signal }, openBot(deps.secrets, row), move);
      if ('next' in end) move = end.next;
      else if (!signal.aborted) {
        await showWait(deps, move, end);
        await moves.release(move, end.waitsS);
        return;
      }
    }
    // Another worker need not wait for the lease of one that stops.
    if (stopping.aborted) await moves.release(taken, 0);
  } catch (error) {
    deps.log.warn({ bot: taken.bot_id, reason: String(error) }, 'a step of a move failed; it is done again');
    // Without Postgres, it is due again when the lease ends.
    await moves.release(taken, AFTER_FAILURE_S).catch((failure: unknown) => {
      if (!isUnavailable(failure)) throw failure;
    });
  } finally {
    clearInterval(renewing);
  }
}

async function showWait(deps: MoveDeps, move: BotMove, { reason, until = null }: StepWait) {
  if (reason === move.reason && until?.getTime() === move.waits_until?.getTime()) return;
  await deps.db.transaction().execute(async (db) => {
    // Whoever deletes the bot locks it first, too.
    if ((await botStore(db).lock(move.bot_id)) === undefined) return;
    if ((await botMoveStore(db).change(move, { reason, waits_until: until })) === null) return;
    await botStore(db).touch([move.bot_id]);
  });
  await republishBots(deps, [move.bot_id]);
}
