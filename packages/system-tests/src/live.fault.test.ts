import { freePort } from '@flotilla/embedded/free-port.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type Nginx, startNginx } from '@flotilla/testing/fleet/nginx.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { type LiveClient, type LiveMessage, openLive } from '@flotilla/testing/live-client.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

/** So few that what gathers during a fault, and then comes at once, is half of what a stream may send at once. */
const PER_SECOND = 5;
const SECONDS = 60;
const COUNT = PER_SECOND * SECONDS;

let redis: TestRedis;
let fleet: Fleet;
let nginx: Nginx;
let backend: TestBackend;
let taken: number[];
let watcher: Watcher | null;

beforeEach(async () => {
  const [port, ...apiPorts] = [await freePort(), await freePort(), await freePort()];
  redis = await startTestRedis();
  const settings = { PUBLIC_URL: `http://127.0.0.1:${port}`, TRUSTED_PROXIES: '127.0.0.1' };
  fleet = await startFleet({ apis: 0, workers: 2 }, settings, undefined, redis);
  for (const apiPort of apiPorts) await fleet.start('api', {}, apiPort);
  nginx = await startNginx({ port, apiPorts });
  taken = [];
  watcher = null;
  backend = await startBackend((request, response) => {
    taken.push((JSON.parse(request.text) as { update_id: number }).update_id);
    response.end();
  });
}, 60_000);
afterEach(async () => {
  watcher?.stop();
  await backend?.stop();
  await nginx?.stop();
  await fleet?.stop();
  await redis?.stop();
}, 60_000);

/** Watches as a browser does: it connects again when the stream ends, and says what it has seen. */
interface Watcher {
  /** All events of all connections, in order. */
  events(): LiveMessage[];
  connections(): number;
  isOpen(): boolean;
  stop(): void;
}

async function startWatcher(topics: string): Promise<Watcher> {
  const events: LiveMessage[] = [];
  let [current, lastEventId, connections, stopped] = [null as LiveClient | null, '', 0, false];
  const take = (client: LiveClient) => {
    events.push(...client.events.splice(0));
    lastEventId = client.lastEventId() || lastEventId;
  };
  const watchOn = async () => {
    while (!stopped) {
      const known = lastEventId === '' ? {} : { lastEventId };
      current = await openLive(nginx.url, topics, { key: ADMIN_KEY, ...known }).catch(() => null);
      const client = current;
      if (client?.status === 200) {
        connections += 1;
        await waitFor(() => client.isEnded() || stopped, { timeoutMs: 600_000 });
        take(client);
      } else client?.close();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  void watchOn();
  await waitFor(() => (current?.lastEventId() ?? '') !== '', { message: 'the stream to begin' });
  return {
    events: () => {
      if (current !== null) take(current);
      return events;
    },
    connections: () => connections,
    isOpen: () => current?.status === 200 && !current.isEnded(),
    stop: () => {
      stopped = true;
      current?.close();
    },
  };
}

/** The updates that were neither shown nor covered by a gap: the last one before it, and the first one after it. */
function unexplained(events: LiveMessage[], all: number[]): number[] {
  const shown = events.map(({ event, data }) => (event === 'update' ? (data.update_id as number) : null));
  const seen = new Set(shown);
  const gaps = events.flatMap(({ event }, at) => {
    if (event !== 'gap') return [];
    const before = shown.slice(0, at).findLast((id) => id !== null) ?? 0;
    const after = shown.slice(at).find((id) => id !== null) ?? Number.POSITIVE_INFINITY;
    return [{ before, after }];
  });
  return all.filter((id) => !seen.has(id) && !gaps.some(({ before, after }) => id > before && id < after));
}

const streaming = async () => {
  for (const api of fleet.apis) if ((await readMetric(api, 'flotilla_live_streams')) === 1) return api;
  return null;
};

describe('a live stream behind nginx', () => {
  test('shows every update once while its pod stops, another one is killed, a worker is killed and Redis restarts', async () => {
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
    watcher = await startWatcher(`bot:${bot.id}`);
    const watching = watcher;
    const ids = () =>
      watching.events().flatMap(({ event, data }) => (event === 'update' ? [data.update_id as number] : []));
    const goesOn = async (what: string) => {
      const before = ids().length;
      await waitFor(() => ids().length > before + 10, { timeoutMs: 30_000, message: `updates after ${what}` });
    };
    await fleet.control.generate({ bots: [bot.platformId], chats: 10, count: COUNT, perSecond: PER_SECOND });
    await goesOn('the start');

    const pod = (await waitFor(streaming))!;
    expect(await pod.stop()).toBe(0);
    fleet.apis.splice(fleet.apis.indexOf(pod), 1);
    await goesOn('the stop of a pod');
    expect(watching.connections()).toBe(2);
    await fleet.start('api', {}, pod.port);
    await fleet.workers.shift()?.kill();
    await goesOn('the end of a worker');
    const killed = (await waitFor(streaming))!;
    fleet.apis.splice(fleet.apis.indexOf(killed), 1);
    await killed.kill();
    await goesOn('the end of a pod');
    expect(watching.events().filter(({ event }) => event === 'skipped')).toEqual([]);
    redis.kill();
    await redis.restart();
    await goesOn('the restart of Redis');

    await waitFor(() => new Set(taken).size === COUNT, { timeoutMs: 90_000, message: 'all deliveries' });
    const last = Math.max(...taken);
    await waitFor(() => ids().includes(last), { timeoutMs: 30_000, message: 'the last update' });
    expect(ids().filter((id, at) => ids().indexOf(id) !== at)).toEqual([]);
    expect(unexplained(watching.events(), [...new Set(taken)])).toEqual([]);
    // Redis keeps what it acknowledged, so nothing had to be given up.
    expect(watching.events().filter(({ event }) => event === 'skipped')).toEqual([]);
    const gaps = watching.events().filter(({ event }) => event === 'gap');
    // After the restart of Redis: one for the bot, one for what is read, and one for what colleagues do.
    expect(gaps.length).toBeLessThanOrEqual(3);
    expect(new Set(ids()).size).toBeGreaterThan(COUNT * 0.9);
  }, 240_000);

  test('tells within 5 s of it that the breaker of a bot opened, and that it closed', async () => {
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
    watcher = await startWatcher(`fleet,bot:${bot.id}`);
    const watching = watcher;
    const states = () =>
      watching
        .events()
        .flatMap(({ event, data }) => (event === 'bot' && data.id === bot.id ? [data.backend_state] : []));
    const isState = async (state: string) => {
      await waitFor(
        async () => {
          const [known] = (await fleet.rest<{ backend_state: string }[]>('/api/bots?limit=1')) ?? [];
          return known?.backend_state === state;
        },
        { timeoutMs: 90_000, message: `the state ${state}` },
      );
      await waitFor(() => states().at(-1) === state, { timeoutMs: 5_000, message: `an event that it is ${state}` });
    };
    await backend.stop();
    await fleet.control.generate({ bots: [bot.platformId], chats: 1, count: 1 });
    await isState('failing');
    await isState('open');
    await fleet.rest('/api/bots/update', { id: bot.id, proxy_enabled: false });
    await isState('ok');
  }, 240_000);
});
