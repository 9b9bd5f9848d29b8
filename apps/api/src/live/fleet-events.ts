import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { type ReadDeps, readFleet } from '@flotilla/domain/watch/fleet-figures/read-fleet.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { presentFleet } from '../present/present-fleet.ts';

/** A client that is told the figures of the bots that its caller sees. */
export type FleetListener = { caller: Caller; onFleet(data: string, bytes: number): void };

export type FleetEvents = {
  /** Tells the present figures, and then every new ones. */
  listen(listener: FleetListener): { stop(): void };
  close(): void;
};

const LOOK_EVERY_MS = 5000;
/** A worker takes figures of the whole fleet this often; those of some bots are taken here. */
const READ_EVERY_MS = 30_000;

type Figures = { data: string; takenAtMs: number };

/** Reads figures once for all clients that see the same. */
export function fleetEvents(deps: ReadDeps & { log: Logger }): FleetEvents {
  const listeners = new Set<FleetListener>();
  const told = new Map<string, Figures>();
  let looking = false;

  const figuresFor = async (caller: Caller): Promise<Figures> => {
    const known = told.get(audienceOf(caller));
    if (known !== undefined && deps.clock.nowMs() - known.takenAtMs < READ_EVERY_MS) return known;
    const fleet = await readFleet(deps, caller);
    return { data: JSON.stringify(presentFleet(fleet)), takenAtMs: fleet.takenAtMs };
  };
  const look = async () => {
    const audiences = Map.groupBy(listeners, ({ caller }) => audienceOf(caller));
    for (const audience of told.keys()) if (!audiences.has(audience)) told.delete(audience);
    for (const [audience, those] of audiences) {
      const figures = await figuresFor(those[0]!.caller);
      if (figures.takenAtMs === told.get(audience)?.takenAtMs) continue;
      told.set(audience, figures);
      for (const listener of those) tell(listener, figures);
    }
  };
  const timer = setInterval(() => {
    if (looking || listeners.size === 0) return;
    looking = true;
    look()
      .catch((error: unknown) => deps.log.debug({ reason: String(error) }, 'the figures of the fleet cannot be read'))
      .finally(() => {
        looking = false;
      });
  }, LOOK_EVERY_MS);

  return {
    listen: (listener) => {
      const known = told.get(audienceOf(listener.caller));
      if (known !== undefined) tell(listener, known);
      listeners.add(listener);
      return { stop: () => listeners.delete(listener) };
    },
    close: () => clearInterval(timer),
  };
}

function tell({ onFleet }: FleetListener, { data }: Figures): void {
  onFleet(data, Buffer.byteLength(data));
}

/** Callers of one audience get the same figures. */
function audienceOf({ account, role, scope: { bots }, apiKey }: Caller): string {
  return bots === 'all' ? role : `${account.id} ${apiKey?.id ?? ''} ${[...bots].join()}`;
}
