import { isUnavailable } from '@flotilla/database/is-unavailable.ts';
import { openBot } from '../../fleet/bots/bot-row.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import { republishBots } from '../../fleet/bots/republish-bots.ts';
import { type BotMove, botMoveStore } from './bot-move-store.ts';
import type { MoveDeps } from './move-deps.ts';
import { STEPS, type StepEnd, type StepWait } from './move-steps.ts';

const RENEW_EVERY_MS = 5_000;
const AFTER_FAILURE_S = 5;
/** A move whose server does not answer holds no other one up. */
const AT_ONCE = 10;

/** The moves that this process goes on with. */
export type Moves = {
  /** Begins with those that are due, while there is room. A step that was interrupted is done again. */
  look(signal: AbortSignal): Promise<void>;
  /** Resolves when all have ended or wait, which they do soon after the signal aborts. */
  ended(): Promise<void>;
};

export function movesUnderWay(deps: MoveDeps): Moves {
  const underWay = new Set<Promise<void>>();
  const take = () => botMoveStore(deps.db).take();
  /** One that waits makes room for the next one. */
  const goOn = async (first: BotMove, signal: AbortSignal): Promise<void> => {
    for (let move: BotMove | null = first; move !== null; move = signal.aborted ? null : await take()) {
      await advance(deps, move, signal);
    }
  };
  const tell = (error: unknown) => {
    if (!isUnavailable(error)) deps.log.warn({ reason: String(error) }, 'a move could not go on; it is tried again');
  };
  return {
    look: async (signal) => {
      if (!deps.directory.ready()) return;
      while (!signal.aborted && underWay.size < AT_ONCE) {
        const move = await take();
        if (move === null) return;
        const going = goOn(move, signal)
          .catch(tell)
          .finally(() => underWay.delete(going));
        underWay.add(going);
      }
    },
    ended: async () => void (await Promise.all(underWay)),
  };
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
