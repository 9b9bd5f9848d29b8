import { activityPrefixes, botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import { kindsOfProgram, wantedKinds } from '../filters/wanted-kinds.ts';
import { type ClaimDeps, type Claimed, type ClaimLost, type ClaimRequest, claimUnits } from '../lanes/claim-units.ts';
import type { SettledUnit } from '../lanes/claimed-unit.ts';
import type { Attempt } from './attempt.ts';
import { type BotWithBackend, keysOfProgram } from './backend.ts';
import { keepExcerpts } from './keep-excerpts.ts';
import type { ResponseExcerpt } from './response-excerpt.ts';

export type ClaimDeliveriesDeps = ClaimDeps & { turns: { push: TurnQueue } };

/** The outcome of an update, and the request that was made for it. */
export type SettledUpdate = SettledUnit & { attempt?: Attempt; excerpt?: ResponseExcerpt | null };

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
  const attempts = settled.flatMap(({ attempt }) => attempt ?? []);
  const failures = attempts.filter(({ error }) => error !== undefined);
  const keys = botKeys(backend.id);
  const ofProgram = keysOfProgram(backend);
  const failedFromMs = failures.length === 0 ? null : Math.min(...failures.map(({ at }) => Date.parse(at)));
  const requests = () => ({
    failedForMs: failedFromMs === null ? null : Math.max(0, deps.clock.nowMs() - failedFromMs),
    lastError:
      failures.at(-1)?.error ?? attempts.findLast(({ call_error }) => call_error !== undefined)?.call_error ?? '',
    succeeded: settled.some(({ outcome }) => outcome === 'delivered'),
    answers: answersTo(attempts),
    newAttempts: attempts.map((attempt) => JSON.stringify(attempt)),
  });
  const { commands } = deps.redis;
  const { program } = backend;
  const claim =
    ofProgram === null || program === undefined
      ? await claimUnits(deps, lanesOf(keys), backend, request, settled, (shared, args) => {
          const { attempts, live } = keys;
          const prefixes = activityPrefixes(backend.id);
          return scripts.claimForPush(commands, { ...shared, attempts, live }, { ...args, ...requests(), ...prefixes });
        })
      : await claimUnits(deps, lanesOf(ofProgram), backend, request, settled, (shared, args) => {
          const { attempts, deliveredAhead, state } = ofProgram;
          return scripts.claimForProgram(
            commands,
            { ...shared, attempts, live: keys.live, program: state, deliveredAhead },
            {
              ...args,
              ...requests(),
              kinds: kindsOfProgram(program),
              takenKinds: wantedKinds(program.webhookKinds),
              revision: mayBeStale ? ANY_REVISION : backend.revision,
            },
          );
        });
  if (claim.outcome === 'lost') return claim;
  void keepExcerpts(deps, backend, settled);
  const { reply, ...claimed } = claim;
  const { moreToDo, isStale, hopeless, closed, opened, waiting } = reply;
  return { ...claimed, moreToDo, isStale, hopeless, breakerClosed: closed, breakerOpened: opened, waiting };
}

function lanesOf(keys: Pick<ReturnType<typeof botKeys>, 'lanes' | 'inFlight' | 'work' | 'redriven' | 'lane'>) {
  const { lanes, inFlight, work, redriven } = keys;
  return { lanes, inFlight, work, redriven, lanePrefix: keys.lane('') };
}

/** 'gone' when every answer was 410. */
function answersTo(attempts: Attempt[]): 'none' | 'gone' | 'other' {
  if (attempts.length === 0) return 'none';
  return attempts.every(({ status }) => status === GONE) ? 'gone' : 'other';
}
