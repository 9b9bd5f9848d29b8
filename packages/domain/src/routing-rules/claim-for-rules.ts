import { botKeys } from '@flotilla/redis/keys.ts';
import type { ScriptReply } from '@flotilla/redis/scripts.ts';
import type { Bot } from '../bots/bot.ts';
import { type ClaimDeps, type Claimed, type ClaimLost, type ClaimRequest, claimUnits } from '../lanes/claim-units.ts';
import type { SettledUnit } from '../lanes/claimed-unit.ts';

/** An update as the log shows it. */
export type ShownUpdate = { id: string; lane: string; kind: string; raw: string };

/** Which of the shown updates are to be routed. */
export type Matched = { upTo: string; count: number; filed: { lane: string; id: string; album: string }[] };

export type RulesClaim =
  | ClaimLost
  | (Claimed & {
      shown: ShownUpdate[];
      /** Of the newest configuration; updates that are shown or claimed may have arrived after that change. */
      revision: number;
      /** The id up to which the log was read; null when nothing was new. */
      shownUpTo: string | null;
    });

/** The messages of an album arrive one by one; this is how long to wait for the next one. */
const ALBUM_GATHERED_MS = 1000;
const NO_NEWS = { upTo: '', count: 0, filed: [] };

/** One round trip of a rules turn: settles units, files updates into lanes, reads new updates and claims due units. */
export async function claimForRules(
  deps: ClaimDeps,
  bot: Bot,
  request: ClaimRequest,
  settled: SettledUnit[],
  matched: Matched | null,
): Promise<RulesClaim> {
  const { upTo, count, filed } = matched ?? NO_NEWS;
  const { rulesLanes, rulesInFlight, rulesWork, rulesRedriven, rulesLane } = botKeys(bot.id);
  const own = { lanes: rulesLanes, inFlight: rulesInFlight, work: rulesWork, redriven: rulesRedriven };
  const reader = { script: 'claim-for-rules' as const, keys: { ...own, lanePrefix: rulesLane('') } };
  const claim = await claimUnits(deps, reader, bot, request, settled, {
    keys: () => [],
    args: [ALBUM_GATHERED_MS, upTo, count, ...filed.flatMap(({ lane, id, album }) => [lane, id, album])],
  });
  if (claim.outcome === 'lost') return claim;
  const { answer, ...claimed } = claim;
  const [shownUpTo, revision, shown] = answer;
  return {
    ...claimed,
    shown: shownUpdates(shown as ScriptReply),
    revision: Number(revision),
    shownUpTo: shownUpTo === '' ? null : String(shownUpTo),
  };
}

function shownUpdates(flat: ScriptReply): ShownUpdate[] {
  const shown: ShownUpdate[] = [];
  for (let at = 0; at < flat.length; at += 4) {
    const [id, lane, kind, raw] = flat.slice(at, at + 4).map(String);
    shown.push({ id: id as string, lane: lane as string, kind: kind as string, raw: raw as string });
  }
  return shown;
}
