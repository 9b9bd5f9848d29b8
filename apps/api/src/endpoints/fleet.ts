import type { fleetOperations } from '@flotilla/contract/fleet.ts';
import { readFleet } from '@flotilla/domain/watch/fleet-figures/read-fleet.ts';
import type { Handlers } from '../operations/handler.ts';
import { presentFleet } from '../present/present-fleet.ts';

export const fleetHandlers: Handlers<typeof fleetOperations> = {
  async showFleet(context, { caller }) {
    return presentFleet(await readFleet(context, caller));
  },
};
