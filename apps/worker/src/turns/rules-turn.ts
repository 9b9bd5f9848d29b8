import { type Bot, routes } from '@flotilla/domain/bots/bot.ts';
import { endRulesTurn } from '@flotilla/domain/routing-rules/rules-step.ts';
import { ownTurn } from '@flotilla/domain/update-log/own-turn.ts';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { WorkerContext } from '../context.ts';
import { botForTurn } from './bot-for-turn.ts';
import { rulesRound } from './rules-round.ts';

/** Routes one bot's messages, lane by lane, for a while; then the next bot has its turn. */
export async function rulesTurn(deps: WorkerContext, botId: number, lease: TurnLease): Promise<TurnOutcome> {
  const bot = await botForTurn(deps, botId, (known) => routes(known) && !known.disabled);
  if (!bot) return { next: 'idle' };
  const owner = await ownTurn(deps, bot, 'rules');
  if (owner.outcome !== 'owner') return { next: 'idle' };
  const ended = await rulesRound(deps, bot, owner.epoch, lease);
  switch (ended.reason) {
    case 'lost':
      return { next: 'idle' };
    case 'share-used':
      return { next: 'again' };
    case 'drained':
      return ended.nextDueMs === null ? idleUnlessMore(deps, bot) : sleepUntil(deps, bot, ended.nextDueMs);
  }
}

async function idleUnlessMore(deps: WorkerContext, bot: Bot): Promise<TurnOutcome> {
  return (await endRulesTurn(deps, bot)) ? { next: 'again' } : { next: 'idle' };
}

function sleepUntil(deps: WorkerContext, bot: Bot, atMs: number): TurnOutcome {
  return { next: 'at', atMs, lookAgain: () => endRulesTurn(deps, bot) };
}
