import { startBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ledger } from './ledger.ts';
import { startPuller } from './puller.ts';

const SECONDS = 45;
const PER_BOT = SECONDS * 150;
const CHATS = 10;
/** Postgres hangs for this long, and then refuses connections for as long. */
const HALF_AWAY_MS = 15_000;

let database: TestDatabase;
let postgres: TcpRelay;
let fleet: Fleet;

beforeAll(async () => {
  database = await testDatabase();
  postgres = await startTcpRelay(Number(new URL(database.url).port));
  const url = Object.assign(new URL(database.url), { port: String(postgres.port) }).href;
  fleet = await startFleet({ apis: 2, workers: 2 }, {}, { url });
}, 60_000);
afterAll(async () => {
  await postgres.restore();
  await fleet.stop();
  await postgres.stop();
  await database.drop();
}, 60_000);

test('Postgres is away for 30 s under 300 updates a second: all goes on but REST, and the history is whole in the end', async () => {
  const books = { pushed: ledger(), pulled: ledger() };
  const backend = await startBackend((request, response) => {
    books.pushed.record(request.text);
    response.end();
  });
  const pushed = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
  const pulled = await fleet.addBot({ long_poll_enabled: true });
  const puller = startPuller(() => fleet.url, pulled.token, books.pulled.record);
  const bots = [pushed.platformId, pulled.platformId];
  await fleet.control.generate({ bots, chats: CHATS, count: 2 * PER_BOT, perSecond: 300 });
  await waitFor(() => books.pushed.count() > 300 && books.pulled.count() > 300, { timeoutMs: 20_000 });
  const sending = startSending(pulled);
  const asking = startAsking(pulled);

  postgres.hang();
  await asking.untilUnavailable();
  await new Promise((resolve) => setTimeout(resolve, HALF_AWAY_MS));
  await postgres.cut();
  await new Promise((resolve) => setTimeout(resolve, HALF_AWAY_MS));
  const meanwhile = asking.answers();
  await postgres.restore();

  expect(meanwhile.length).toBeGreaterThan(5);
  for (const { status, tookMs } of meanwhile) {
    expect(status).toBe(503);
    expect(tookMs).toBeLessThan(7_000);
  }
  const arrived = () => [books.pushed.count(), books.pulled.count()];
  await waitFor(() => arrived().every((count) => count === PER_BOT), { timeoutMs: 60_000 }).catch(() => undefined);
  expect(arrived()).toEqual([PER_BOT, PER_BOT]);
  for (const book of Object.values(books)) {
    expect([book.faults(PER_BOT / CHATS), book.duplicates()]).toEqual([[], 0]);
    expect(book.longestSilenceMs()).toBeLessThan(10_000);
  }
  const { sent, failed } = await sending.stop();
  expect(failed).toEqual([]);
  await asking.stop();
  expect(await puller.stop()).toEqual([]);
  await expectHistory(pushed, { received: PER_BOT, sent: 0 });
  await expectHistory(pulled, { received: PER_BOT, sent });
  await expectAllAlive();
  await backend.stop();
}, 240_000);

/** Waits until Postgres has every received and sent message exactly once. */
async function expectHistory(bot: FleetBot, wanted: { received: number; sent: number }): Promise<void> {
  const stored = async () => {
    const rows = await database.db.selectFrom('messages').select('outgoing').where('bot_id', '=', bot.id).execute();
    const sent = rows.filter(({ outgoing }) => outgoing).length;
    return { received: rows.length - sent, sent };
  };
  const isWhole = async () => JSON.stringify(await stored()) === JSON.stringify(wanted);
  await waitFor(isWhole, { timeoutMs: 60_000 }).catch(() => undefined);
  expect(await stored()).toEqual(wanted);
}

async function expectAllAlive(): Promise<void> {
  for (const { metricsPort, output } of [...fleet.apis, ...fleet.workers]) {
    expect((await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).status).toBe(200);
    expect(output()).not.toMatch(/unhandled/);
  }
}

/** Sends messages through the proxy, one after the other. */
function startSending(bot: FleetBot) {
  const failed: string[] = [];
  let sent = 0;
  let stopped = false;
  const sending = fleet.control.createPerson({ firstName: 'Ann' }).then(async ({ id }) => {
    await fleet.control.startBot({ person: id, bot: bot.platformId, quietly: true });
    while (!stopped) {
      const query = new URLSearchParams({ chat_id: String(id), text: `number ${sent}` });
      const response = await fetch(`${fleet.url}/tgapi/bot${bot.token}/sendMessage?${query}`);
      if (response.ok) sent += 1;
      else failed.push(`${response.status} ${await response.text()}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
  return {
    stop: async () => {
      stopped = true;
      await sending;
      return { sent, failed };
    },
  };
}

/** Sends REST requests that need Postgres, one after the other. */
function startAsking(bot: FleetBot) {
  let answered: { status: number; tookMs: number }[] = [];
  let stopped = false;
  const asking = (async () => {
    while (!stopped) {
      const begunAtMs = performance.now();
      const response = await fetch(`${fleet.url}/api/messages?bot_id=${bot.id}&chat_id=1`, {
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
      });
      await response.text();
      answered.push({ status: response.status, tookMs: performance.now() - begunAtMs });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    untilUnavailable: async () => {
      await waitFor(() => answered.at(-1)?.status === 503, { timeoutMs: 20_000, message: 'an answer 503' });
      answered = [];
    },
    answers: () => [...answered],
    stop: async () => {
      stopped = true;
      await asking;
    },
  };
}
