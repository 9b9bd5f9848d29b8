import { botKeys } from '@flotilla/redis/keys.ts';
import { type ShownRow, scripts } from '@flotilla/redis/script-calls.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { type ClaimDeps, type Claimed, type ClaimLost, type ClaimRequest, claimUnits } from '../lanes/claim-units.ts';
import type { SettledUnit } from '../lanes/claimed-unit.ts';

/** An update as the log shows it. */
export type ShownUpdate = ShownRow;

/** Which of the shown updates are to be routed. */
export type Matched = { upTo: number | null; count: number; filed: { lane: string; id: number; album: string }[] };

export type RulesClaim =
  | ClaimLost
  | (Claimed & {
      shown: ShownUpdate[];
      /** Of the newest configuration; updates that are shown or claimed may have arrived after that change. */
      revision: number;
      /** The id up to which the log was read; null when nothing was new. */
      shownUpTo: number | null;
    });

/** The messages of an album arrive one by one; this is how long to wait for the next one. */
const ALBUM_GATHERED_MS = 1000;
const NO_NEWS = { upTo: null, count: 0, filed: [] };

/** One round trip of a rules turn: settles units, files updates into lanes, reads new updates and claims due units. */
export async function claimForRules(
  deps: ClaimDeps,
  bot: Bot,
  request: ClaimRequest,
  settled: SettledUnit[],
  matched: Matched | null,
): Promise<RulesClaim> {
  const { upTo, count, filed } = matched ?? NO_NEWS;
  const { rulesLanes, rulesInFlight, rulesWork, rulesRedriven, rulesAttempts, rulesLane } = botKeys(bot.id);
  const keys = {
    ...{ lanes: rulesLanes, inFlight: rulesInFlight, work: rulesWork, redriven: rulesRedriven },
    ...{ attempts: rulesAttempts, lanePrefix: rulesLane(''), reader: 'rules' },
  };
  const forRules = { gatherMs: ALBUM_GATHERED_MS, matchedTo: upTo, matched: count, filed };
  const claim = await claimUnits(deps, keys, bot, request, settled, (shared, args) =>
    scripts.claimForRules(deps.redis.commands, shared, { ...args, ...forRules }),
  );
  if (claim.outcome === 'lost') return claim;
  const { reply, ...claimed } = claim;
  return { ...claimed, shown: reply.shown, revision: reply.revision, shownUpTo: reply.shownTo };
}
