import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import type { RouteLink } from '../../records/history/route-links.ts';
import { hitsText } from '../../records/history/rule-hits.ts';
import { encodeLink, recordArguments } from '../../records/history/stream/history-codec.ts';
import type { ClaimDeps } from '../lanes/claim-units.ts';
import type { ClaimedUnit } from '../lanes/claimed-unit.ts';
import type { RoutingProgress } from './destination.ts';

/** Stores the progress of a unit, the links of sent messages and hits of rules. False when another turn owns the bot's rules. */
export async function noteRouted(
  deps: ClaimDeps,
  bot: Bot,
  unit: ClaimedUnit,
  noted: { fencingToken: number; progress: RoutingProgress; links?: RouteLink[]; hits?: readonly number[] },
): Promise<boolean> {
  const keys = botKeys(bot.id);
  const owner = registrationOf(bot);
  const { fencingToken, progress, links = [], hits = [] } = noted;
  const nowMs = deps.clock.nowMs();
  const reply = await scripts.noteRouted(deps.redis.commands, keys, {
    ...registrationOf(bot),
    fencingToken,
    hits: hitsText(hits),
    inLane: unit.unitId,
    progress: JSON.stringify(progress),
    records: recordArguments(links.map((link) => encodeLink(owner, link, nowMs))),
  });
  if (reply.outcome !== 'GONE' && reply.wakeHistory) await deps.turns.history.wake(shardOf(bot.id));
  return reply.outcome === 'OK';
}
