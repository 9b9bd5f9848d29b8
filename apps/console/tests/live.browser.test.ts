import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { BrowserContext, Page, Request } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS } from './console-suite.ts';

const PERSON = 4243;

let backend: TestBackend;
let shop: FleetBot;
let help: FleetBot;

const suite = consoleSuite({ apis: 1, workers: 1 });
const { openAsAdmin } = suite;

beforeAll(async () => {
  const { fleet } = suite;
  backend = await startBackend();
  shop = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/shop` }, { name: 'Shop EU' });
  help = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/help` }, { name: 'Help desk' });
  await fleet.control.createPerson({ id: PERSON });
  for (const bot of [shop, help]) await fleet.control.startBot({ person: PERSON, bot: bot.platformId });
  await backend.waitForRequests(2, 30_000);
}, TEST_MS);

afterAll(async () => {
  await backend?.stop();
});

/** From now on the page asks nothing by the clock: what it shows anew came by the stream. */
async function stopPolling(page: Page): Promise<void> {
  await page.addInitScript(`
    const start = window.setInterval;
    window.setInterval = (act, ms, ...rest) => start(act, ms >= 10_000 ? 3_600_000 : ms, ...rest);
  `);
  await page.reload();
}

const badge = (page: Page) => page.getByRole('banner').locator('.live-word');
const isLive = (page: Page) => badge(page).getByText('Live', { exact: true }).waitFor();
const send = (bot: FleetBot, text: string) =>
  suite.fleet.control.sendMessage({ person: PERSON, bot: bot.platformId, text });

test(
  'the row of a dead backend comes to the head of what needs attention, and attempts appear, without asking',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${shop.id}`);
    await stopPolling(page);
    await isLive(page);
    const attempts = page.getByRole('region', { name: 'Last attempts' }).getByRole('listitem');
    await attempts.first().waitFor();
    const before = await attempts.count();
    await send(shop, 'one more');
    await waitFor(async () => (await attempts.count()) > before, { message: 'an attempt to appear' });

    const dead = await startBackend((_request, response) => void response.destroy());
    const lost = await suite.fleet.addBot({ proxy_enabled: true, backend_url: dead.url }, { name: 'Lost shop' });
    await page.goto(`${suite.fleet.url}/console/`);
    await isLive(page);
    await page.getByRole('table', { name: 'Bots' }).getByRole('link', { name: 'Lost shop' }).waitFor();
    const attention = page.getByRole('region', { name: 'Needs attention' });
    expect(await attention.getByText('Failing').count()).toBe(0);
    await suite.fleet.control.startBot({ person: PERSON, bot: lost.platformId });
    await attention.getByRole('listitem').first().getByRole('link', { name: 'Lost shop' }).waitFor({ timeout: 60_000 });
    await suite.fleet.rest('/api/bots/update', { id: lost.id, proxy_enabled: false });
    await dead.stop();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

/** How many live streams the pages of the browser have open, and which topics. */
function openStreams(context: BrowserContext): { urls: () => string[] } {
  const open = new Set<Request>();
  const isStream = (request: Request) => request.url().includes('/api/live?');
  context.on('request', (request) => isStream(request) && open.add(request));
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));
  const ofOpenPages = () => [...open].filter((request) => !request.frame().page().isClosed());
  return { urls: () => ofOpenPages().map((request) => decodeURIComponent(request.url())) };
}

test(
  'all tabs of a browser share one stream, and another tab goes on when the one that holds it is closed',
  async () => {
    const { page, context, complaints } = await openAsAdmin();
    const streams = openStreams(context);
    await page.reload();
    await isLive(page);
    const [second, third] = [await context.newPage(), await context.newPage()];
    for (const [tab, bot] of [
      [second, shop],
      [third, help],
    ] as const) {
      await tab.goto(`${suite.fleet.url}/console/bots/${bot.id}`);
      await isLive(tab);
    }
    const topicsOfAll = ['fleet', `attempts:${shop.id}`, `attempts:${help.id}`];
    await waitFor(() => streams.urls().length === 1 && topicsOfAll.every((one) => streams.urls()[0]!.includes(one)));
    await stopPolling(third);
    await page.close();
    await waitFor(() => streams.urls().length === 1);
    await isLive(third);
    const attempts = third.getByRole('region', { name: 'Last attempts' }).getByRole('listitem');
    await attempts.first().waitFor();
    const before = await attempts.count();
    await send(help, 'after the first tab');
    await waitFor(async () => (await attempts.count()) > before, { message: 'an attempt to appear' });
    await second.close();
    await waitFor(() => streams.urls().length === 1 && !streams.urls()[0]!.includes(`attempts:${shop.id}`));
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a browser without Web Locks has a stream for each tab',
  async () => {
    const { page, context, complaints } = await openAsAdmin();
    await context.addInitScript("Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })");
    const streams = openStreams(context);
    await page.reload();
    await isLive(page);
    const second = await context.newPage();
    await second.goto(`${suite.fleet.url}/console/`);
    await isLive(second);
    await waitFor(() => streams.urls().length === 2);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'without a stream the page says that it polls, and still shows what is new; with it again it is live',
  async () => {
    const { page } = await openAsAdmin();
    await page.route('**/api/live?*', (route) => route.abort());
    await page.goto(`${suite.fleet.url}/console/bots/${help.id}`);
    await badge(page).getByText('Every 10 s').waitFor();
    const attempts = page.getByRole('region', { name: 'Last attempts' }).getByRole('listitem');
    await attempts.first().waitFor();
    const before = await attempts.count();
    await send(help, 'seen by polling');
    await waitFor(async () => (await attempts.count()) > before, {
      timeoutMs: 60_000,
      message: 'an attempt to appear',
    });
    await page.unroute('**/api/live?*');
    await isLive(page);
  },
  TEST_MS,
);

test(
  'when the session ends, the stream says so at once, and is opened again after the sign-in',
  async () => {
    const { page, context, signIn } = await openAsAdmin();
    const streams = openStreams(context);
    await stopPolling(page);
    await isLive(page);
    expect(streams.urls()).toHaveLength(1);
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    await fetch(`${suite.fleet.url}/api/auth/logout`, { method: 'POST', headers: { cookie } });
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.waitFor();
    await waitFor(() => streams.urls().length === 0, { message: 'the end of the stream' });
    await signIn(...ADMIN);
    await again.waitFor({ state: 'detached' });
    await waitFor(() => streams.urls().length === 1, { message: 'a new stream' });
  },
  TEST_MS,
);
