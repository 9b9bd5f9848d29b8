import { getUpdatesConformance } from '@flotilla/simulator/conformance/get-updates-conformance.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { afterAll, beforeAll } from '@jest/globals';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet();
}, 60_000);
afterAll(() => fleet.stop(), 60_000);

// Not the platform's: several pollers are welcome (28–31, 33), the short-repeat limit (27), a full queue (40).
const NOT_OURS = [27, 28, 29, 30, 31, 33, 40];

getUpdatesConformance({
  skip: NOT_OURS,
  target: () => ({
    baseUrl: `${fleet.url}/tgapi`,
    control: fleet.control,
    botFactory: async (options) => {
      const bot = await fleet.addBot({ long_poll_enabled: true }, options);
      return { id: bot.platformId, token: bot.token };
    },
  }),
});
