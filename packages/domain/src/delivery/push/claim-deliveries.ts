import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import { programReaderName } from '../../fleet/bots/active-program.ts';
import { kindsOfProgram, wantedKinds } from '../../fleet/bots/wanted-kinds.ts';
import type { Attempt } from '../../records/journal/attempt-line.ts';
import {
  type ClaimDeps,
  type Claimed,
  type ClaimLost,
  type ClaimRequest,
  claimUnits,
  type LaneKeys,
} from '../lanes/claim-units.ts';
import type { SettledUnit } from '../lanes/claimed-unit.ts';
import { type BotWithBackend, keysOfProgram } from './backend.ts';
import { keepExcerpts } from './keep-excerpts.ts';
import type { ResponseExcerpt } from './response-excerpt.ts';

export type ClaimDeliveriesDeps = ClaimDeps & { turns: { push: TurnQueue } };

/** The outcome of an update, and the beginning of the answer to the request that was made for it. */
export type SettledUpdate = SettledUnit & { excerpt?: ResponseExcerpt | null };

export type BackendClaim =
  | ClaimLost
  /** `nextDueMs`: when the first lane is due, or the next probe while the breaker is open. */
  | (Claimed & {
      moreToDo: boolean;
      /** Redis has a newer configuration, under which the program may want other kinds; nothing was filed. */
      isStale: boolean;
      /** The backend has answered nothing but 410 Gone for 23 hours. */
      hopeless: boolean;
      /** The breaker closed in this claim: a probe was delivered. */
      breakerClosed: boolean;
      /** The breaker opened in this claim. */
      breakerOpened: boolean;
      /** How many updates wait in lanes, those in flight included. */
      waiting: number;
    });

const GONE = 410;
const ANY_REVISION = Number.MAX_SAFE_INTEGER;

/**
 * One round trip of a push turn: settles deliveries, files new updates into lanes and claims due ones. `mayBeStale`: files them also
 * by an older configuration than Redis has.
 */
export async function claimDeliveries(
  deps: ClaimDeliveriesDeps,
  backend: BotWithBackend,
  { mayBeStale = false, ...request }: ClaimRequest & { mayBeStale?: boolean },
  settled: SettledUpdate[],
): Promise<BackendClaim> {
  // A replayed copy says nothing about the backend that would still hold after it: it is not retried.
  const isCounted = ({ outcome, replay }: Attempt) => outcome !== 'dropped' && replay === undefined;
  const attempts = settled.flatMap((one) => one.attempts ?? []).filter(isCounted);
  const failures = attempts.filter(({ outcome }) => outcome === 'failed');
  const keys = botKeys(backend.id);
  const ofProgram = keysOfProgram(backend);
  const failedFromMs = failures.length === 0 ? null : Math.min(...failures.map(({ atMs }) => atMs));
  const requests = () => ({
    failedForMs: failedFromMs === null ? null : Math.max(0, deps.clock.nowMs() - failedFromMs),
    lastError:
      failures.at(-1)?.error ?? attempts.findLast(({ call_error }) => call_error !== undefined)?.call_error ?? '',
    succeeded: settled.some(({ outcome }) => outcome === 'delivered'),
    answers: answersTo(attempts),
  });
  const { commands } = deps.redis;
  const { program } = backend;
  const claim =
    ofProgram === null || program === undefined
      ? await claimUnits(deps, lanesOf(keys, 'push'), backend, request, settled, (shared, args) =>
          scripts.claimForPush(commands, shared, { ...args, ...requests() }),
        )
      : await claimUnits(
          deps,
          lanesOf(ofProgram, programReaderName(program.id)),
          backend,
          request,
          settled,
          (shared, args) => {
            const { deliveredAhead, state } = ofProgram;
            return scripts.claimForProgram(
              commands,
              { ...shared, program: state, deliveredAhead },
              {
                ...args,
                ...requests(),
                kinds: kindsOfProgram(program),
                takenKinds: wantedKinds(program.webhook_kinds),
                revision: mayBeStale ? ANY_REVISION : backend.revision,
              },
            );
          },
        );
  if (claim.outcome === 'lost') return claim;
  void keepExcerpts(deps, backend, settled);
  const { reply, ...claimed } = claim;
  const { moreToDo, isStale, hopeless, closed, opened, waiting } = reply;
  return { ...claimed, moreToDo, isStale, hopeless, breakerClosed: closed, breakerOpened: opened, waiting };
}

type KeysOfLanes = Pick<ReturnType<typeof botKeys>, 'lanes' | 'inFlight' | 'work' | 'redriven' | 'attempts' | 'lane'>;

function lanesOf({ lanes, inFlight, work, redriven, attempts, lane }: KeysOfLanes, reader: string): LaneKeys {
  return { lanes, inFlight, work, redriven, attempts, lanePrefix: lane(''), reader };
}

/** 'gone' when every answer was 410. */
function answersTo(attempts: Attempt[]): 'none' | 'gone' | 'other' {
  if (attempts.length === 0) return 'none';
  return attempts.every(({ status }) => status === GONE) ? 'gone' : 'other';
}
