import { type BackendHandler, startBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedis } from '@flotilla/testing/redis.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ledger } from './ledger.ts';

const CHATS = 5;
const PER_CHAT = 3;

let database: TestDatabase;
let postgres: TcpRelay;
let fleet: Fleet;

beforeEach(async () => {
  database = await testDatabase();
  postgres = await startTcpRelay(Number(new URL(database.url).port));
}, 60_000);
afterEach(async () => {
  await postgres.restore();
  await fleet?.stop();
  await postgres.stop();
  await database.drop();
}, 60_000);

const startApiAndWorker = async (redis?: { url: string; port: number }) => {
  const url = Object.assign(new URL(database.url), { port: String(postgres.port) }).href;
  fleet = await startFleet({ apis: 1, workers: 1 }, {}, { url }, redis);
};
const leave = (process: FleetProcess) => {
  const among = process.role === 'api' ? fleet.apis : fleet.workers;
  among.splice(among.indexOf(process), 1);
  return process.stop();
};
const inFlight = (worker: FleetProcess) => readMetric(worker, 'flotilla_active_turns', { kind: 'push' });

describe('a process that is told to stop', () => {
  test('ends within 25 s though Postgres and Redis hang', async () => {
    // Always a single Redis, whatever TEST_REDIS says: this test hangs the only connection to it.
    const server = await startTestRedis();
    const redis = await startTcpRelay(server.port);
    try {
      await startApiAndWorker({ port: redis.port, url: `redis://127.0.0.1:${redis.port}` });
      const bot = await fleet.addBot({ proxy_enabled: true, long_poll_enabled: true });
      const processes = [...fleet.apis, ...fleet.workers];
      const polling = fetch(`http://127.0.0.1:${processes[0]!.port}/tgapi/bot${bot.token}/getUpdates?timeout=50`);
      await waitFor(async () => (await readMetric(processes[0]!, 'flotilla_waiting_polls')) === 1);
      postgres.hang();
      redis.hang();
      // An exit code and not null: the process was not killed.
      for (const code of await Promise.all(processes.map(leave))) expect([0, 1]).toContain(code);
      await polling.catch(() => undefined);
    } finally {
      await redis.stop();
      await server.stop();
    }
  }, 90_000);

  test('lets the deliveries in flight come to their end, and another worker goes on at once', async () => {
    await startApiAndWorker();
    const [book, begun] = [ledger(), { count: 0 }];
    const backend = await startBackend(async (request, response) => {
      begun.count += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      book.record(request.text);
      response.end();
    });
    await deliver(backend.url, () => begun.count >= CHATS);
    const old = fleet.workers[0]!;
    await fleet.start('worker');
    expect(await leave(old)).toBe(0);
    await waitFor(() => book.count() === CHATS * PER_CHAT, { timeoutMs: 20_000, message: 'every update' });
    expect([book.faults(PER_CHAT), book.duplicates()]).toEqual([[], 0]);
    expect(fleet.workers[0]!.output()).not.toContain('left behind');
    await backend.stop();
  }, 60_000);

  test('puts back what a backend does not answer, and another worker goes on at once', async () => {
    await startApiAndWorker();
    const book = ledger();
    const hung: Parameters<BackendHandler>[1][] = [];
    const backend = await startBackend((request, response) => {
      if (hung.length < CHATS) {
        hung.push(response);
        return;
      }
      book.record(request.text);
      response.end();
    });
    await deliver(backend.url, () => hung.length === CHATS);
    const old = fleet.workers[0]!;
    await fleet.start('worker');
    expect(await inFlight(old)).toBe(1);
    expect(await leave(old)).toBe(0);
    await waitFor(() => book.count() === CHATS * PER_CHAT, { timeoutMs: 5_000, message: 'every update' });
    expect([book.faults(PER_CHAT), book.duplicates()]).toEqual([[], 0]);
    expect(fleet.workers[0]!.output()).not.toContain('left behind');
    await backend.stop();
  }, 60_000);
});

/** Sends a few updates in several chats to a bot with this backend; resolves when deliveries are in flight. */
async function deliver(backendUrl: string, inFlight: () => boolean): Promise<void> {
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backendUrl });
  await fleet.control.generate({ bots: [bot.platformId], chats: CHATS, count: CHATS * PER_CHAT });
  await waitFor(inFlight, { timeoutMs: 20_000, message: 'deliveries in flight' });
}
