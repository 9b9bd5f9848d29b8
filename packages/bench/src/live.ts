import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { compareAccepts } from './compare-accepts.ts';
import { percentile } from './percentile.ts';
import { ownMemoryMb } from './process-usage.ts';
import { ms, ratio, report } from './report.ts';

const WATCHERS = 1_000;
const BOTS = 10;
const PER_SECOND = 20;
const SECONDS = 20;
/** Streams that are open for this long have settled: each was renewed and told that it lives. */
const SETTLED_AFTER_MS = 16_000;
const SETTINGS = {
  LOG_LEVEL: 'error',
  LIVE_STREAMS: String(WATCHERS),
  LIVE_STREAMS_PER_ACCOUNT: String(WATCHERS),
};

/** A thousand live streams at one api: the memory of each, and how soon they show an update. Then an accept that somebody watches. */
export async function benchLive(database: { url: string }): Promise<void> {
  const fleet = await startFleet({ apis: 1, workers: 1 }, SETTINGS, database);
  try {
    const bots: { id: number; platformId: number }[] = [];
    for (let at = 0; at < BOTS; at += 1) bots.push(await fleet.addBot({ long_poll_enabled: true }));
    const api = fleet.apis[0]!;
    const [first] = [await watch(fleet, bots[0]!.id)];
    const before = ownMemoryMb(api.pid);
    const streams = [first];
    for (let at = 1; at < WATCHERS; at += 1) streams.push(await watch(fleet, bots[at % BOTS]!.id));
    await waitFor(async () => (await readMetric(api, 'flotilla_live_streams')) === WATCHERS);
    await delay(SETTLED_AFTER_MS);
    const kbEach = ((ownMemoryMb(api.pid) - before) * 1024) / (WATCHERS - 1);

    const count = PER_SECOND * SECONDS;
    const ids = bots.map(({ platformId }) => platformId);
    await fleet.control.generate({ bots: ids, chats: 50, count, perSecond: PER_SECOND });
    const lags = () => streams.flatMap((stream) => stream.lags());
    const expected = (count * WATCHERS) / BOTS;
    await waitFor(() => lags().length >= expected, { timeoutMs: 60_000, message: 'every event at every watcher' });
    const busyKbEach = ((ownMemoryMb(api.pid) - before) * 1024) / (WATCHERS - 1);
    for (const stream of streams) stream.close();
    const accept = await compareAccepts();
    report(`Live, ${WATCHERS.toLocaleString('en')} streams of one api, ${BOTS} bots`, [
      { what: 'memory of a stream at rest', figure: `${kbEach.toFixed(1)} KB` },
      { what: `memory of a stream after ${count} updates, garbage included`, figure: `${busyKbEach.toFixed(1)} KB` },
      {
        what: `${PER_SECOND} updates/s, each shown ${WATCHERS / BOTS} times: made → shown, p50`,
        figure: ms(percentile(lags(), 50)),
      },
      { what: 'p99', figure: ms(percentile(lags(), 99)) },
      {
        what: 'accept of an update that somebody watches, within Redis',
        figure: `${accept.watchedUs.toFixed(1)} µs, ${ratio(accept.watchedUs / accept.unwatchedUs)} of one that nobody watches`,
      },
    ]);
  } finally {
    await fleet.stop();
  }
}

type Watcher = { lags(): number[]; close(): void };

/** Reads the making time from the text of each update. */
function watch(fleet: Fleet, botId: number): Promise<Watcher> {
  const url = `http://127.0.0.1:${fleet.apis[0]!.port}/api/live?topics=bot:${botId}`;
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { authorization: `Bearer ${ADMIN_KEY}` }, agent: false }, (response) => {
      if (response.statusCode === 200) resolve(watcher(response));
      else reject(new Error(`a stream was refused with ${response.statusCode}`));
    });
    request.on('error', reject);
  });
}

function watcher(response: IncomingMessage): Watcher {
  const lags: number[] = [];
  let unread = '';
  response.setEncoding('latin1');
  response.on('error', () => {});
  response.on('data', (piece: string) => {
    const blocks = (unread + piece).split('\n\n');
    unread = blocks.pop() ?? '';
    for (const block of blocks) {
      const madeAt = block.startsWith('event: update') ? /@(\d{13})"/.exec(block)?.[1] : undefined;
      if (madeAt !== undefined) lags.push(Date.now() - Number(madeAt));
    }
  });
  return { lags: () => lags, close: () => response.destroy() };
}
