import { type Bot, pushes } from '@flotilla/domain/bots/bot.ts';
import { endPushTurn } from '@flotilla/domain/push/push-step.ts';
import { ownTurn } from '@flotilla/domain/update-log/own-turn.ts';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { WorkerContext } from '../context.ts';
import { botForTurn } from './bot-for-turn.ts';
import { pushRound } from './push-round.ts';

/** Delivers one bot's updates to its backend, lane by lane, for a while; then the next bot has its turn. */
export async function pushTurn(deps: WorkerContext, botId: number, lease: TurnLease): Promise<TurnOutcome> {
  const bot = await botForTurn(deps, botId, pushes);
  if (!bot) return { next: 'idle' };
  const owner = await ownTurn(deps, bot, 'push');
  if (owner.outcome !== 'owner') return { next: 'idle' };
  const ended = await pushRound(deps, bot, owner.epoch, lease);
  switch (ended.reason) {
    case 'lost':
      return { next: 'idle' };
    case 'share-used':
      return { next: 'again' };
    case 'drained':
      return ended.nextDueMs === null ? idleUnlessReadable(deps, bot) : sleepUntil(deps, bot, ended.nextDueMs);
  }
}

async function idleUnlessReadable(deps: WorkerContext, bot: Bot): Promise<TurnOutcome> {
  return (await endPushTurn(deps, bot)) ? { next: 'again' } : { next: 'idle' };
}

function sleepUntil(deps: WorkerContext, bot: Bot, atMs: number): TurnOutcome {
  return { next: 'at', atMs, lookAgain: () => endPushTurn(deps, bot) };
}
