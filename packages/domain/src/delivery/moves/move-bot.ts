import type { MovePlan } from '@flotilla/contract/bot-moves.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import { wakeTurns } from '../../fleet/bots/change-bot.ts';
import { republishBots } from '../../fleet/bots/republish-bots.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { botMoveStore } from './bot-move-store.ts';
import type { AskDeps } from './move-deps.ts';
import { type MoveRequest, planMove } from './plan-move.ts';

/**
 * Has workers move a bot to another server, sends a move elsewhere, or cancels it. With `isDryRun` it only says what that would do.
 * Throws FlotillaError: 'bad_request' for an unknown server, 'conflict' while something is in the way.
 */
export async function moveBot(
  deps: AskDeps,
  by: Actor,
  bot: Bot,
  { to, isDryRun }: { to: string; isDryRun: boolean },
): Promise<MovePlan> {
  const active = await botMoveStore(deps.db).active(bot.id);
  const { request, plan } = await planMove(deps, bot, to, active);
  if (isDryRun) return plan;
  if (plan.obstacles.length > 0) throw new FlotillaError('conflict', plan.obstacles.join('. '));
  const isDone = await deps.db.transaction().execute(async (db) => {
    const moves = botMoveStore(db);
    // Whoever deletes the bot locks it first, too.
    if ((await botStore(db).lock(bot.id)) === undefined) return false;
    const done =
      active === null
        ? await moves.begin({ bot_id: bot.id, from_upstream: bot.upstream, to_upstream: to }, by)
        : await moves.redirect(active, to, request === 'cancel' ? 'start' : 'log_in');
    if (!done) return false;
    await botStore(db).touch([bot.id]);
    await recordAction({ ...deps, db }, by, { action: 'bot_move', bot_id: bot.id, details: detailsOf(request, plan) });
    return true;
  });
  if (!isDone) throw new FlotillaError('conflict', 'The move of the bot has gone on meanwhile: look at it again');
  await republishBots(deps, [bot.id]);
  await wakeTurns(deps, deps.directory.byId(bot.id) ?? bot, false);
  return plan;
}

function detailsOf(request: MoveRequest, { from, to }: MovePlan): string {
  if (request === 'cancel') return `cancelled: it stays at ${to}`;
  return request === 'begin' ? `from ${from} to ${to}` : `sent to ${to} instead`;
}
