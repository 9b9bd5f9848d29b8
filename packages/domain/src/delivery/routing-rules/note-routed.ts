import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { RouteLink } from '../../records/history/route-links.ts';
import { encodeLink, recordArguments } from '../../records/history/stream/history-codec.ts';
import type { ClaimDeps } from '../lanes/claim-units.ts';
import type { ClaimedUnit } from '../lanes/claimed-unit.ts';
import type { RoutingProgress } from './destination.ts';

/** Stores the progress of a unit and the links of sent messages. False when another turn owns the bot's rules. */
export async function noteRouted(
  deps: ClaimDeps,
  bot: Bot,
  unit: ClaimedUnit,
  noted: { fencingToken: number; progress: RoutingProgress; links: RouteLink[] },
): Promise<boolean> {
  const keys = botKeys(bot.id);
  const owner = { botId: bot.id, registrationId: bot.registrationId };
  const reply = await scripts.noteRouted(deps.redis.commands, keys, {
    registrationId: bot.registrationId,
    fencingToken: noted.fencingToken,
    inLane: unit.unitId,
    progress: JSON.stringify(noted.progress),
    records: recordArguments(noted.links.map((link) => encodeLink(owner, link, deps.clock.nowMs()))),
  });
  if (reply.outcome !== 'GONE' && reply.wakeHistory) await deps.turns.history.wake(shardOf(bot.id));
  return reply.outcome === 'OK';
}
