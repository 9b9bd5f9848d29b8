import type { Logger } from '@flotilla/runtime/logger.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import { parseBackendUrl } from '../../fleet/backend-policy/backend-address.ts';
import { FAILED_PAUSE_MS, isStoreAway } from '../lanes/is-store-away.ts';
import type { LaneReader } from '../lanes/run-turn.ts';
import type { SharedLimiter } from '../lanes/shared-limiter.ts';
import type { BotWithBackend } from './backend.ts';
import {
  type BackendClaim,
  type ClaimDeliveriesDeps,
  claimDeliveries,
  type SettledUpdate,
} from './claim-deliveries.ts';
import { type DeliverDeps, deliverUpdate } from './deliver-update.ts';

export type BackendReaderDeps = ClaimDeliveriesDeps &
  DeliverDeps & {
    /** Limits requests to backends, over all turns of this process. */
    requestLimiter: SharedLimiter;
    log: Logger;
  };

/** The differences between a bot's own backend and that of a program. */
export type BackendOwner = {
  /** The configuration may change while the turn runs. Later requests follow the new one. */
  newest(known: BotWithBackend): BotWithBackend;
  /** The backend has answered nothing but 410 Gone for 23 hours. */
  giveUp(backend: BotWithBackend): Promise<void>;
  /** The breaker closed. */
  reached(backend: BotWithBackend): Promise<void>;
  /** Waits a moment for a newer configuration, which Redis has already. False: it does not come, so this one must do. */
  catchUp?(): Promise<boolean>;
  /** See LaneReader. */
  mustEnd?(): boolean;
};

const LOOK_EVERY_MS = 5_000;
const ROOM_WITHIN_MS = 2_000;

/** Why a backend is given up, for the audit log. */
export const GONE = 'the backend answered nothing but 410 Gone for 23 hours';

/** The reader of one turn, which delivers updates to a backend. */
export function backendReader(
  deps: BackendReaderDeps,
  given: BotWithBackend,
  owner: BackendOwner,
): LaneReader<SettledUpdate> {
  let backend = given;
  let origin = originOf(backend);
  let mayBeStale = false;
  const warnOfWaiting = throttledLog((details: object, leftOut) =>
    deps.log.warn({ ...details, leftOut }, 'an update waits for a store'),
  );
  return {
    lookEveryMs: LOOK_EVERY_MS,
    mustEnd: () => owner.mustEnd?.() ?? false,
    room: (inFlight) => deps.requestLimiter.offer(backend.max_connections - inFlight, origin),
    isStuck: () => deps.requestLimiter.isStuck(origin),
    claim: async (request, settled) => {
      const newest = owner.newest(backend);
      if (newest !== backend) [backend, origin, mayBeStale] = [newest, originOf(newest), false];
      const claim = await claimDeliveries(deps, backend, { ...request, mayBeStale }, settled);
      if (claim.outcome === 'lost') return claim;
      if (claim.isStale) mayBeStale = (await owner.catchUp?.()) === false;
      const more = claim.moreToDo && request.limit > claim.units.length;
      return { ...claim, more, afterwards: () => followUp(deps, backend, owner, claim, settled) };
    },
    handle: async (unit, turn) => {
      const [to, at] = [backend, origin];
      // Thousands of turns may have been offered the same room while they claimed. To return a unit and claim it again
      // costs as much as to deliver it.
      if (!(await deps.requestLimiter.takeSoon(at, ROOM_WITHIN_MS, turn.lease.signal)))
        return { unit, outcome: 'returned' };
      try {
        if (turn.cancel.aborted) return { unit, outcome: 'returned' };
        return await deliverUpdate(deps, to, unit, turn);
      } catch (error) {
        const names = { ...namesOf(to), update: unit.updates[0].id };
        const nowMs = deps.clock.nowMs();
        if (isStoreAway(error)) {
          warnOfWaiting({ ...names, reason: String(error) });
          return { unit, outcome: 'waits', atMs: nowMs + FAILED_PAUSE_MS };
        }
        deps.log.error({ ...names, err: error }, 'the handling of an update failed');
        return { unit, outcome: 'crashed', atMs: nowMs };
      } finally {
        deps.requestLimiter.giveBack(at);
      }
    },
  };
}

/** Applies what the backend's answers mean. */
async function followUp(
  { log }: BackendReaderDeps,
  backend: BotWithBackend,
  owner: BackendOwner,
  claim: Extract<BackendClaim, { outcome: 'claimed' }>,
  settled: SettledUpdate[],
): Promise<void> {
  if (claim.hopeless) await owner.giveUp(backend);
  if (claim.breakerOpened) logOpened(log, backend, settled);
  if (!claim.breakerClosed) return;
  logClosed(log, backend);
  await owner.reached(backend);
}

function logOpened(log: Logger, backend: BotWithBackend, settled: SettledUpdate[]): void {
  const reason = settled.flatMap(({ attempts = [] }) => attempts.flatMap(({ error }) => error ?? [])).at(-1);
  const names = { ...namesOf(backend), backend: originOf(backend), reason };
  log.warn(names, 'the breaker opened: the backend gets one probe at a time');
}

export function logClosed(log: Logger, backend: BotWithBackend): void {
  log.info(
    { ...namesOf(backend), backend: originOf(backend) },
    'the breaker closed: updates flow to the backend again',
  );
}

function namesOf({ id, program }: BotWithBackend): { bot: number; program?: number } {
  return { bot: id, ...(program === undefined ? {} : { program: program.id }) };
}

/** Requests are limited by origin, because one host with many bots must not take all requests of a worker. */
function originOf(backend: BotWithBackend): string {
  return parseBackendUrl(backend.backend_url)?.origin ?? '';
}
