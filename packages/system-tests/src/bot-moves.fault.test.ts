import type { BotResource } from '@flotilla/contract/bots.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Ledger, ledger } from './ledger.ts';
import { type SideBySide, startSideBySide } from './servers-side-by-side.ts';

const CHATS = 5;
const PER_CHAT = 100;
/** What comes while a logOut is on its way answers the open poll; what comes behind it in that moment the server drops. */
const LOAD = { chats: CHATS, count: CHATS * PER_CHAT, perSecond: 5 };
/** Of a logOut, on a machine that is busy with other things. */
const DROPPED_AT_MOST = 3;
const MOVED_WITHIN_MS = 60_000;

let servers: SideBySide;
let backend: TestBackend;
const book: Ledger = ledger();
const ids: number[] = [];

beforeAll(async () => {
  servers = await startSideBySide({ apis: 1, workers: 1 });
  await servers.cloud.setLogOutWait({ seconds: 0 });
  backend = await startBackend((request, response) => {
    const before = book.count();
    book.record(request.text);
    if (book.count() > before) ids.push((JSON.parse(request.text) as { update_id: number }).update_id);
    response.end();
  });
}, 60_000);
afterAll(async () => {
  await servers?.stop();
  await backend?.stop();
}, 60_000);

test('a bot moves there and back under traffic, and its worker is killed in every step: nothing is lost, ids rise', async () => {
  const { fleet, cloud } = servers;
  const made = await cloud.createBot({});
  const { id } = await fleet.rest<{ id: number }>('/api/bots/add', {
    ...{ token: made.token, proxy_enabled: true, backend_url: backend.url, webhook_mode: true },
  });
  const shown = () => fleet.rest<BotResource>(`/api/bots/show?id=${id}`);
  await cloud.generate({ bots: [made.id], ...LOAD });
  await waitFor(() => book.count() > 20, { timeoutMs: 30_000, message: 'the first updates' });

  /** Moves the bot, and kills the worker while it calls this method. */
  const moveWithKill = async (upstream: string, method: string) => {
    const callsOf = async () => (await cloud.readCalls({ bot: made.id, method })).byMethod[method.toLowerCase()] ?? 0;
    await cloud.setFault({ bot: made.id, method, effect: { kind: 'hang' } });
    const before = await callsOf();
    await fleet.rest('/api/bots/move', { id, upstream });
    await waitFor(async () => (await callsOf()) > before, { timeoutMs: MOVED_WITHIN_MS, message: method });
    await fleet.workers.pop()?.kill();
    await cloud.clearFaults({});
    await fleet.start('worker');
    await waitFor(
      async () => {
        const { upstream: now, moving } = await shown();
        return now === upstream && moving === undefined;
      },
      { timeoutMs: MOVED_WITHIN_MS, message: `the bot being at ${upstream} after a kill in ${method}` },
    );
  };
  await moveWithKill('local', 'deleteWebhook');
  await moveWithKill('default', 'logOut');
  await moveWithKill('local', 'getMe');
  await moveWithKill('default', 'setWebhook');

  const { dropped } = await cloud.pendingUpdates({ bot: made.id });
  const arriving = LOAD.count - dropped.length;
  await waitFor(() => book.count() === arriving, { timeoutMs: 120_000, message: 'every update to arrive' });
  expect(book.disorder()).toEqual([]);
  // A push that was in flight when its worker was killed comes again.
  expect(book.duplicates()).toBeLessThanOrEqual(4 * CHATS);
  expect(new Set(ids).size).toBe(arriving);
  const { calls } = await cloud.readCalls({ bot: made.id, method: 'logOut' });
  expect(new Set(calls.map(({ server }) => server))).toEqual(new Set(['cloud', 'local']));
  expect(dropped.length).toBeLessThanOrEqual(calls.length * DROPPED_AT_MOST);
}, 300_000);
