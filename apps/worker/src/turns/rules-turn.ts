import { setTimeout as delay } from 'node:timers/promises';
import { type Bot, routes } from '@flotilla/domain/bots/bot.ts';
import { readRoutable } from '@flotilla/domain/routing-rules/route-unit.ts';
import {
  type FinishedUnit,
  type Looked,
  rulesStep,
  type ShownUpdate,
} from '@flotilla/domain/routing-rules/rules-step.ts';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { WorkerContext } from '../context.ts';
import { botForTurn } from './bot-for-turn.ts';
import { readerTurn, type TurnReader } from './reader-turn.ts';
import { routeUpdates } from './route-updates.ts';
import { underWay } from './under-way.ts';

/** Source chats of one bot that are routed at once; pacing, not this, is what limits sending. */
const LANES_AT_ONCE = 20;
const LOOK_EVERY_MS = 200;
const CONFIGURATION_PAUSE_MS = 50;

/** Routes one bot's messages, lane by lane, for a while; then the next bot has its turn. */
export async function rulesTurn(deps: WorkerContext, botId: number, lease: TurnLease): Promise<TurnOutcome> {
  const bot = await botForTurn(deps, botId, (known) => routes(known) && !known.disabled);
  return bot ? readerTurn(deps, rulesOf(deps, bot, lease), lease) : { next: 'idle' };
}

function rulesOf(deps: WorkerContext, given: Bot, lease: TurnLease): TurnReader {
  const sendings = underWay<FinishedUnit>();
  let bot = given;
  let looked: Looked | null = null;
  return {
    underWay: sendings,
    lookEveryMs: LOOK_EVERY_MS,
    room: () => LANES_AT_ONCE - sendings.count(),
    step: async (round) => {
      const step = await rulesStep(deps, bot, { ...round, finished: sendings.takeEnded(), looked });
      if (step.outcome === 'lost') return step;
      const { fencingToken, nextDueMs, ended, due } = step;
      const current = await atLeast(deps, bot, step.revision);
      if (current === null) {
        for (const unit of due) sendings.add({ unit, outcome: 'release' });
        looked = null;
        await delay(CONFIGURATION_PAUSE_MS);
        return { outcome: 'ok', fencingToken, nextDueMs, ended, taken: 0, more: true };
      }
      bot = current;
      for (const unit of due) sendings.start(routeUpdates(deps, bot, unit, fencingToken, lease));
      looked = look(bot, step.shown, step.shownUpTo);
      return { outcome: 'ok', fencingToken, nextDueMs, ended, taken: due.length, more: looked !== null };
    },
    lingers: () => false,
    linger: async () => {},
    // What a sending does is refused by its fencing token.
    breakOff: () => {},
  };
}

/** The bot as it is configured now, null while this process has not heard of its newest configuration. */
async function atLeast(deps: WorkerContext, known: Bot, revision: number): Promise<Bot | null> {
  const newest = deps.directory.byId(known.id);
  if (newest && newest.revision >= revision) return newest;
  await deps.directory.refresh();
  const refreshed = deps.directory.byId(known.id);
  return refreshed && refreshed.revision >= revision ? refreshed : null;
}

/** What of the updates shown is to be routed; null when none were. */
function look(bot: Bot, shown: ShownUpdate[], shownUpTo: string | null): Looked | null {
  if (shownUpTo === null) return null;
  const filed = shown.flatMap((update) => {
    const routable = readRoutable(bot, update);
    return routable === null ? [] : [{ lane: update.lane, id: update.id, album: routable.album }];
  });
  return { upTo: shownUpTo, count: shown.length, filed };
}
