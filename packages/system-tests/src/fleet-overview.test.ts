import type { AttentionResource } from '@flotilla/contract/attention.ts';
import type { EventResource } from '@flotilla/contract/events.ts';
import type { FleetResource } from '@flotilla/contract/fleet.ts';
import type { ReaderResource } from '@flotilla/contract/readers.ts';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/** Figures are taken every 30 s, and rates are those of a complete minute. */
const FIGURES_WITHIN = { timeoutMs: 150_000 };
/** A breaker opens after 10 s, and its probes are 2, 4, 8 … s apart. */
const BREAKS_WITHIN = { timeoutMs: 60_000 };

let fleet: Fleet;
let well: TestBackend;
let ill: TestBackend;
let repaired: TestBackend;
/** The backend of the bot `repaired` is ill in the beginning. */
let isRepaired = false;
let bots: { well: FleetBot; ill: FleetBot; pulled: FleetBot; repaired: FleetBot };

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 2 });
  well = await startBackend();
  ill = await startBackend((_request, response) => void response.writeHead(500).end());
  repaired = await startBackend((_request, response) => void response.writeHead(isRepaired ? 200 : 502).end());
  bots = {
    well: await fleet.addBot({ proxy_enabled: true, backend_url: well.url }),
    ill: await fleet.addBot({ proxy_enabled: true, backend_url: ill.url }),
    pulled: await fleet.addBot({ long_poll_enabled: true }),
    repaired: await fleet.addBot({ proxy_enabled: true, backend_url: repaired.url }),
  };
}, 60_000);
afterAll(async () => {
  await fleet?.stop();
  await well?.stop();
  await ill?.stop();
  await repaired?.stop();
}, 60_000);

const shown = () => fleet.rest<FleetResource>('/api/fleet');
const say = (bot: FleetBot, chat: number) =>
  fleet.control.injectUpdate({
    bot: bot.platformId,
    kind: 'message',
    raw: `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":${chat},"type":"private"},"text":"hi"}`,
  });

/** These two run in parallel, because both wait for a breaker; they share no bot that says something. */
test.concurrent('the fleet has its states, its backlog and its rates under traffic, also those of a backend that fails', async () => {
  let chat = 0;
  let offset = 0;
  const seen = await waitFor(async () => {
    chat += 1;
    await Promise.all([bots.well, bots.ill, bots.pulled].map((bot) => say(bot, chat)));
    const poll = await fleet.rest<{ result: { update_id: number }[] }>(
      `/api/updates/poll?bot_id=${bots.pulled.id}&timeout=0&offset=${offset}`,
    );
    offset = (poll.result.at(-1)?.update_id ?? offset - 1) + 1;
    const found = await shown();
    const { in: taken = 0, delivered = 0, retried = 0 } = found.rates ?? {};
    const isCounted = taken > 0 && delivered > 0 && retried > 0;
    return isCounted && found.states.ok === 3 && found.states.open === 1 ? found : null;
  }, FIGURES_WITHIN);
  expect(seen).toMatchObject({ bots: 4, states: { ok: 3, open: 1, failing: 0 }, dead_letters: 0 });
  expect(seen!.pending).toBeGreaterThan(0);
  // All bots but one get theirs, each at one place.
  expect(seen!.rates!.delivered).toBeLessThan(seen!.rates!.in);
  expect(Date.now() - Date.parse(seen!.taken_at)).toBeLessThan(90_000);
}, 180_000);

test.concurrent('a backend is shown as it fails, and gets what waits as soon as it is repaired and resumed', async () => {
  const bot = bots.repaired;
  for (const chat of [1, 2, 3]) await say(bot, chat);
  const push = async () => {
    const found = await fleet.rest<ReaderResource[]>(`/api/bots/readers?bot_id=${bot.id}`);
    return found.find(({ reader }) => reader === 'push')!;
  };
  const failing = await waitFor(async () => ((await push()).state === 'failing' ? push() : null), BREAKS_WITHIN);
  expect(failing).toMatchObject({ behind: 3, last_error: expect.stringContaining('502') });
  for (const at of [failing!.failing_since, failing!.oldest_at]) expect(at).toEqual(expect.any(String));
  // By its third probe the breaker waits 8 s or more for the next one.
  const open = await waitFor(async () => {
    const found = await push();
    return Date.parse(found.next_probe_at ?? '') - Date.now() > 6_000 ? found : null;
  }, BREAKS_WITHIN);
  expect(open).toMatchObject({ state: 'open', behind: 3 });
  isRepaired = true;
  const resumedMs = Date.now();
  await fleet.rest('/api/bots/resume-backend', { bot_id: bot.id });
  await waitFor(async () => (await push()).behind === 0);
  expect(Date.now()).toBeLessThan(Math.max(Date.parse(open!.next_probe_at!), resumedMs + 5_000));
  expect(await push()).toMatchObject({
    state: 'ok',
    cursor: expect.any(Number),
    last_success_at: expect.any(String),
  });
  for (const field of ['oldest_at', 'failing_since', 'next_probe_at', 'last_error']) {
    expect(await push()).not.toHaveProperty(field);
  }
}, 120_000);

test('a process whose clock is wrong is told of, to admins of the whole fleet, until it is right or gone', async () => {
  const later = 'const now = Date.now; Date.now = () => now() + 600_000';
  const worker = await fleet.start('worker', {
    WORKER_ROLES: 'rules',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(later)}`,
  });
  const attention = (query = '') => fleet.rest<AttentionResource[]>(`/api/attention?kinds=clock_apart${query}`);
  const found = await waitFor(async () => (await attention())[0]);
  expect(found).toMatchObject({
    kind: 'clock_apart',
    severity: 'warning',
    text: expect.stringMatching(/ (599|600) s ahead of that of Redis$/),
  });
  expect(found).not.toHaveProperty('bot_id');
  expect(await attention(`&bot_id=${bots.well.id}`)).toEqual([]);
  const apart = (await shown()).replicas!.filter(({ clock_ms_apart: ms }) => Math.abs(ms!) > 60_000);
  expect(apart.map(({ roles }) => roles)).toEqual([['rules']]);
  const events = () => fleet.rest<EventResource[]>('/api/events?kinds=clock.apart,clock.right');
  await waitFor(async () => (await events()).length === 1);
  // The release before removes what it does not know to stand.
  const db = connectDatabase({ url: fleet.database.url, maxConnections: 1 });
  const { since } = await db
    .deleteFrom('standing_events')
    .where('kind', '=', 'clock')
    .returning('since')
    .executeTakeFirstOrThrow();
  await waitFor(async () => {
    const row = await db.selectFrom('standing_events').select('since').where('kind', '=', 'clock').executeTakeFirst();
    return row !== undefined && row.since > since;
  });
  await db.destroy();
  await worker.stop();
  fleet.workers.splice(fleet.workers.indexOf(worker), 1);
  await waitFor(async () => (await events()).length > 1);
  const texts = (await events()).map(({ kind, text }) => `${kind}: ${text}`);
  expect(texts).toEqual(['clock.right: The clocks of all processes are right again', `clock.apart: ${found!.text}`]);
  expect(await attention()).toEqual([]);
}, 60_000);

test('a process that is killed leaves the list by itself, and one that is stopped leaves at once', async () => {
  const kinds = async () => (await shown()).replicas?.map(({ kind }) => kind).sort();
  await waitFor(async () => (await kinds())?.join() === 'api,worker,worker');
  const [killed] = fleet.workers.splice(0, 1);
  await killed!.kill();
  // What it said last is still there: nothing but time removes it.
  expect(await kinds()).toEqual(['api', 'worker', 'worker']);
  await waitFor(async () => (await kinds())?.join() === 'api,worker', { timeoutMs: 30_000 });
  const [stopped] = fleet.workers.splice(0, 1);
  await stopped!.stop();
  expect(await kinds()).toEqual(['api']);
}, 90_000);
