import { getUpdatesConformance } from '@flotilla/simulator/conformance/get-updates-conformance.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { afterAll, beforeAll } from '@jest/globals';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet();
}, 60_000);
afterAll(() => fleet.stop(), 60_000);

/**
 * Here several pollers may wait, even beside a backend; a repeated poll gets all updates; the platform keeps those
 * beyond our limit, and may know kinds that we do not.
 */
const OUR_OWN_WAY = [
  'a poll that must wait ends the one that waits',
  'a second 409 within 3 s comes 3 s late',
  'while a webhook is set getUpdates is refused',
  'the same offset again within half a second gives one update',
  'a list without any known kind stands for the default kinds',
  'the 100 001st waiting update is dropped and the others are intact',
];

getUpdatesConformance({
  otherwise: OUR_OWN_WAY,
  target: () => ({
    baseUrl: `${fleet.url}/tgapi`,
    control: fleet.control,
    botFactory: async (options) => {
      const bot = await fleet.addBot({ long_poll_enabled: true }, options);
      return { id: bot.platformId, token: bot.token };
    },
  }),
});
