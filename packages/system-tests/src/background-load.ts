import { startBackend } from '@flotilla/testing/backend.ts';
import type { Fleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { type Ledger, ledger } from './ledger.ts';
import { startPuller } from './puller.ts';

const PER_SECOND = 300;
const CHATS = 10;
/** The load comes in pieces with chats of their own, so that it can last as long as the test around it. */
const PIECE = { chats: CHATS, count: 3 * PER_SECOND, perSecond: PER_SECOND };
const PIECE_WITHIN_MS = 60_000;
const ALL_ARRIVED_WITHIN_MS = 60_000;

export type BackgroundLoad = {
  /** Stops the load, waits for the outstanding updates, and reports what each reader got, with its faults. */
  end(): Promise<{ made: number; readers: { arrived: number; faults: string[] }[] }>;
};

/** 300 updates a second, polled by a worker and pushed to a backend; with `pulled` a client pulls them too. */
export async function startBackgroundLoad(fleet: Fleet, options: { pulled: boolean }): Promise<BackgroundLoad> {
  const pushed = ledger();
  const pulled = ledger();
  const backend = await startBackend((request, response) => {
    pushed.record(request.text);
    response.end();
  });
  const bot = await fleet.addBot({
    proxy_enabled: true,
    backend_url: backend.url,
    long_poll_enabled: options.pulled,
  });
  const puller = options.pulled ? startPuller(() => fleet.url, bot.token, pulled.record) : null;
  const books: Ledger[] = puller === null ? [pushed] : [pushed, pulled];
  let made = 0;
  let ending = false;
  const making = (async () => {
    while (!ending) {
      const { loadId } = await fleet.control.generate({ bots: [bot.platformId], ...PIECE });
      await waitFor(async () => (await fleet.control.readLoad({ loadId })).done, { timeoutMs: PIECE_WITHIN_MS });
      made += PIECE.count;
    }
  })();
  making.catch(() => undefined);
  await waitFor(() => books.every((book) => book.count() > 0), { timeoutMs: 30_000, message: 'the load to arrive' });
  return {
    end: async () => {
      ending = true;
      await making;
      const allArrived = () => books.every((book) => book.count() === made);
      await waitFor(allArrived, { timeoutMs: ALL_ARRIVED_WITHIN_MS }).catch(() => undefined);
      await puller?.stop();
      await backend.stop();
      const readers = books.map((book) => ({ arrived: book.count(), faults: book.faults(PIECE.count / CHATS) }));
      return { made, readers };
    },
  };
}
