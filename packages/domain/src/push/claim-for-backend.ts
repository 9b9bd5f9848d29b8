import { activityKeys, botKeys } from '@flotilla/redis/keys.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import { kindsOfProgram, wantedKinds } from '../filters/wanted-kinds.ts';
import { type ClaimDeps, type Claimed, type ClaimLost, type ClaimRequest, claimUnits } from '../lanes/claim-units.ts';
import type { SettledUnit } from '../lanes/claimed-unit.ts';
import { type BotWithBackend, keysOfProgram } from './backend.ts';
import { keepExcerpts } from './keep-excerpts.ts';
import type { ResponseExcerpt } from './response-excerpt.ts';

export type ClaimForBackendDeps = ClaimDeps & { turns: { push: TurnQueue } };

/** One try, as the attempt log shows it. */
export type Attempt = {
  at: string;
  update_id: number;
  /** Absent when it is in no chat. */
  chat_id?: number;
  /** Absent for the bot's own backend. */
  program_id?: number;
  /** Of the configuration under which it was sent. */
  revision: number;
  /** 0 when there was no answer. */
  status: number;
  duration_ms: number;
  /** Absent when it was delivered. */
  error?: string;
  /** Why the call in the answer to a delivered update did not succeed. */
  call_error?: string;
};

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
const STALE = 2;
const ANY_REVISION = Number.MAX_SAFE_INTEGER;

/**
 * One round trip of a push turn: settles deliveries, files new updates into lanes and claims due ones. `mayBeStale`: files them also
 * by an older configuration than Redis has.
 */
export async function claimForBackend(
  deps: ClaimForBackendDeps,
  backend: BotWithBackend,
  { mayBeStale = false, ...request }: ClaimRequest & { mayBeStale?: boolean },
  settled: SettledUpdate[],
): Promise<BackendClaim> {
  const attempts = settled.flatMap(({ attempt }) => attempt ?? []);
  const failures = attempts.filter(({ error }) => error !== undefined);
  const keys = botKeys(backend.id);
  const ofProgram = keysOfProgram(backend);
  const requests = [
    failures.at(-1)?.error ?? attempts.findLast((attempt) => attempt.call_error !== undefined)?.call_error ?? '',
    failures.length === 0 ? '' : Math.min(...failures.map(({ at }) => Date.parse(at))),
    settled.some(({ outcome }) => outcome === 'delivered') ? '1' : '0',
    onlyGone(attempts),
  ];
  const texts = attempts.map((attempt) => JSON.stringify(attempt));
  const claim =
    ofProgram === null
      ? await claimUnits(deps, readerOf('claim-for-push', keys), backend, request, settled, {
          keys: (nowMs) => [keys.attempts, ...activityKeys(backend.id, nowMs), keys.live],
          args: [...requests, ...texts],
        })
      : await claimUnits(deps, readerOf('claim-for-program', ofProgram), backend, request, settled, {
          keys: () => [ofProgram.attempts, keys.live, ofProgram.state, ofProgram.deliveredByPush],
          args: [...requests, ...kindsOf(backend), mayBeStale ? ANY_REVISION : backend.revision, ...texts],
        });
  if (claim.outcome === 'lost') return claim;
  void keepExcerpts(deps, backend, settled);
  const { answer, ...claimed } = claim;
  const [moreToDo, hopeless, breakerClosed, breakerOpened, waiting] = answer;
  return {
    ...claimed,
    moreToDo: moreToDo !== 0,
    isStale: moreToDo === STALE,
    hopeless: hopeless === 1,
    breakerClosed: breakerClosed === 1,
    breakerOpened: breakerOpened === 1,
    waiting: waiting as number,
  };
}

function kindsOf({ program }: BotWithBackend): string[] {
  return program === undefined ? [] : [kindsOfProgram(program), wantedKinds(program.webhookKinds)];
}

function readerOf<Script extends string>(
  script: Script,
  keys: Pick<ReturnType<typeof botKeys>, 'lanes' | 'inFlight' | 'work' | 'redriven' | 'lane'>,
) {
  return { script, keys: { ...keys, lanePrefix: keys.lane('') } };
}

/** '1' when every answer was 410 Gone, '0' when there were others, '' when there was none. */
function onlyGone(attempts: Attempt[]): '' | '0' | '1' {
  if (attempts.length === 0) return '';
  return attempts.every(({ status }) => status === GONE) ? '1' : '0';
}
