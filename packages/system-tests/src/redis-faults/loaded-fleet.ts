import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { type Ledger, ledger } from '../ledger.ts';

export const CHATS = 10;
const POLLED_BOTS = 3;

/** A fleet on this Redis with polled and pushed bots, and a ledger of what their backends received. */
export type LoadedFleet = {
  fleet: Fleet;
  bots: FleetBot[];
  /** One ledger per bot, in the order of `bots`. */
  books: Ledger[];
  arrived(): number;
  /** Generates this many updates, spread over the bots and their chats. */
  generate(count: number, perSecond: number): Promise<void>;
  allArrived(count: number, timeoutMs: number): Promise<void>;
  /** Resolves when every bot has received new updates, or all that were ordered. */
  eachGoesOn(timeoutMs: number): Promise<void>;
  /** Resolves when all ordered updates are generated and none is pending at the platform or here. */
  settled(timeoutMs: number): Promise<void>;
  /** The log lines at level error. */
  errorLines(): string[];
  stop(): Promise<void>;
};

export async function startLoadedFleet(redis: { url: string; port: number }): Promise<LoadedFleet> {
  const fleet = await startFleet({ apis: 2, workers: 2 }, { PUBLIC_URL: 'http://127.0.0.1:1' }, undefined, redis);
  const books = Array.from({ length: POLLED_BOTS }, () => ledger());
  const backend: TestBackend = await startBackend((request, response) => {
    books[Number(request.url.slice(1))]?.record(request.text);
    response.end();
  });
  const bots: FleetBot[] = [];
  for (const at of books.keys()) {
    bots.push(await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/${at}` }));
  }
  let loadId = 0;
  let waiting: string[] = [];
  const isSettled = async () => {
    waiting = await whatWaits(fleet, bots);
    return waiting.length === 0 && (await fleet.control.readLoad({ loadId })).done;
  };
  const arrived = () => books.reduce((sum, book) => sum + book.count(), 0);
  const processes = [...fleet.apis, ...fleet.workers];
  return {
    fleet,
    bots,
    books,
    arrived,
    generate: async (count, perSecond) => {
      const platformIds = bots.map((bot) => bot.platformId);
      ({ loadId } = await fleet.control.generate({ bots: platformIds, chats: CHATS, count, perSecond }));
    },
    allArrived: (count, timeoutMs) =>
      waitFor(() => arrived() >= count, { timeoutMs, message: 'every update to arrive' })
        .then(() => {})
        .catch(async (error: unknown) => {
          const waiting = await whatWaits(fleet, bots).catch((failed: unknown) => [String(failed)]);
          throw new Error(`${arrived()} of ${count} updates arrived; ${waiting.join('; ')}`, { cause: error });
        }),
    eachGoesOn: async (timeoutMs) => {
      const before = books.map((book) => book.count());
      const message = 'deliveries of every bot to go on';
      // A slow failover is over when the last update has come.
      const goOn = async () => books.every((book, at) => book.count() > before[at]! + 20) || (await isSettled());
      await waitFor(goOn, { timeoutMs, message });
    },
    settled: async (timeoutMs) => {
      await waitFor(isSettled, { timeoutMs, message: 'nothing that waits' }).catch((error: unknown) => {
        throw new Error(`Still waiting: ${waiting.join('; ')}`, { cause: error });
      });
    },
    errorLines: () => processes.flatMap((process) => process.output().split('\n')).filter(isError),
    stop: async () => {
      await backend.stop();
      await fleet.stop();
    },
  };
}

async function whatWaits(fleet: Fleet, bots: FleetBot[]): Promise<string[]> {
  const states = await fleet.rest<{ id: number; pending_update_count: number }[]>('/api/bots');
  const waiting = await Promise.all(
    bots.map(async ({ id, platformId }) => {
      const { count } = await fleet.control.pendingUpdates({ bot: platformId });
      const here = states.find((state) => state.id === id)?.pending_update_count ?? 0;
      return count + here === 0 ? [] : [`bot ${id}: ${count} at the platform, ${here} here`];
    }),
  );
  return waiting.flat();
}

function isError(line: string): boolean {
  return /"level":(50|60)\b/.test(line) || (line !== '' && !line.startsWith('{'));
}
