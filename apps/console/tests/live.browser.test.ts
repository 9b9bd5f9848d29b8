import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { BrowserContext, Page, Request } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { startNginx } from '@flotilla/testing/fleet/nginx.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { openConsole, stopPolling, wouldPoll } from './open-console.ts';

const PERSON = 4243;

let backend: TestBackend;
let shop: FleetBot;
let help: FleetBot;
let late: FleetBot | undefined;

// All tests sign in to one account, and the streams of a page end a moment after it.
const settings = { LIVE_STREAMS_PER_ACCOUNT: '100', TRUSTED_PROXIES: '127.0.0.1' };
const suite = consoleSuite({ apis: 1, workers: 1 }, settings);
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

const badge = (page: Page) => page.getByRole('banner').locator('.live-word');
const isLive = (page: Page) => badge(page).getByText('Live', { exact: true }).waitFor();
/** Not the shapes that stand there while they are awaited. */
const attemptsIn = (page: Page) =>
  page.getByRole('region', { name: 'Recent attempts' }).getByRole('listitem').filter({ hasText: 'Update' });
const send = (bot: FleetBot, text: string) =>
  suite.fleet.control.sendMessage({ person: PERSON, bot: bot.platformId, text });

test(
  'attempts appear without asking',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${shop.id}`);
    await stopPolling(page);
    await isLive(page);
    const attempts = attemptsIn(page);
    await attempts.first().waitFor();
    const before = await attempts.count();
    await send(shop, 'one more');
    await waitFor(async () => (await attempts.count()) > before, { message: 'an attempt to appear' });
    expect(await wouldPoll(page)).toBe(true);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the row of a backend that dies comes to the head of what needs attention by the stream alone, and holds still there',
  async () => {
    const dying = await startBackend();
    const lost = await suite.fleet.addBot({ proxy_enabled: true, backend_url: dying.url }, { name: 'Lost shop' });
    await suite.fleet.control.startBot({ person: PERSON, bot: lost.platformId });
    await dying.waitForRequests(1, 30_000);
    const { page, complaints } = await openAsAdmin();
    await stopPolling(page);
    await isLive(page);
    await page.getByRole('table', { name: 'Bots' }).getByRole('link', { name: 'Lost shop' }).waitFor();
    const attention = page.getByRole('region', { name: 'Needs attention' });
    expect(await attention.getByText('Failing').count()).toBe(0);
    await page.evaluate('window.isOfBefore = true');
    await dying.stop();
    // The stream tells the counts of the fleet every 30 s only.
    const counted = page.waitForRequest((request) => request.url().endsWith('/api/fleet'), { timeout: 60_000 });
    await send(lost, 'nobody takes this');
    await counted;
    await attention.getByRole('listitem').first().getByRole('link', { name: 'Lost shop' }).waitFor({ timeout: 60_000 });
    expect([await wouldPoll(page), await page.evaluate('window.isOfBefore')]).toEqual([true, true]);

    const row = attention.getByRole('listitem').filter({ hasText: 'Lost shop' });
    await row.hover();
    await suite.fleet.rest('/api/bots/toggle-disabled', { id: lost.id });
    await attention.getByRole('button', { name: 'Show changes' }).waitFor({ timeout: 30_000 });
    expect(await row.isVisible()).toBe(true);
    await page.getByRole('heading', { name: 'Fleet', exact: true }).hover();
    await row.waitFor({ state: 'detached' });
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

/** Makes a tab slow to say what it wants, as one in the background is. */
const SLOW_TO_WANT = `
  const post = BroadcastChannel.prototype.postMessage;
  BroadcastChannel.prototype.postMessage = function (told) {
    if (told.kind === 'want') setTimeout(() => post.call(this, told), 1_500);
    else post.call(this, told);
  };
`;

test(
  'all tabs of a browser share one stream, and another tab goes on when the one that holds it is closed',
  async () => {
    const { page, context, complaints } = await openAsAdmin();
    const streams = openStreams(context);
    await page.reload();
    await isLive(page);
    const [second, third] = [await context.newPage(), await context.newPage()];
    await third.addInitScript(SLOW_TO_WANT);
    await stopPolling(third);
    for (const [tab, bot] of [
      [second, shop],
      [third, help],
    ] as const) {
      await tab.goto(`${suite.fleet.url}/console/bots/${bot.id}`);
      await isLive(tab);
    }
    const topicsOfAll = ['fleet', `attempts:${shop.id}`, `attempts:${help.id}`];
    await waitFor(() => streams.urls().length === 1 && topicsOfAll.every((one) => streams.urls()[0]!.includes(one)));
    const attempts = attemptsIn(third);
    await attempts.first().waitFor();
    const before = await attempts.count();
    await page.close();
    await send(help, 'after the first tab');
    await waitFor(() => streams.urls().length === 1);
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
    const attempts = attemptsIn(page);
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

const events = (page: Page) => page.getByRole('table', { name: 'Events' });
const eventOf = (page: Page, text: string) => events(page).getByRole('row').filter({ hasText: text });
const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

test(
  'updates and deliveries appear as they happen, a pause holds them, a filter is in the address, and a row opens',
  async () => {
    const { page, complaints } = await openAsAdmin('live', clipboard);
    await events(page).getByText('delivery').first().waitFor();
    await isLive(page);
    await page.getByRole('list', { name: 'Watched bots' }).getByText('Shop EU').waitFor();
    await waitFor(async () => {
      await send(shop, 'where is my order?');
      return eventOf(page, 'where is my order?').first().isVisible();
    });

    await page.keyboard.press('p');
    await page.getByText('Paused. New events wait.').waitFor();
    await send(help, 'while it is paused');
    await page.getByRole('button', { name: /^\d+ new$/ }).waitFor();
    expect(await eventOf(page, 'while it is paused').count()).toBe(0);
    await page.keyboard.press('p');
    await eventOf(page, 'while it is paused').first().waitFor();

    await page.getByRole('button', { name: 'Updates' }).click();
    await page.waitForURL('**/console/live?kind=update');
    await page.getByLabel('Filter events').fill('while it is');
    await page.waitForURL('**/console/live?kind=update&q=while+it+is');
    await waitFor(async () => (await events(page).getByRole('row').count()) === 2, { message: 'one event' });
    await events(page).getByRole('button').first().press('Enter');
    const details = page.getByRole('complementary', { name: 'update message' });
    await details.getByText('"while it is paused"').waitFor();
    await details.getByRole('button', { name: 'Copy as curl' }).click();
    await details.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^curl -X POST 'http.*\/help' -H .* -d '\{"update_id":.*while it is paused/,
    );
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the list begins with the last updates of a bot, also of one that nobody delivers; each leads to what became of it',
  async () => {
    const idle = await suite.fleet.addBot({}, { name: 'Idle' });
    await suite.fleet.control.startBot({ person: PERSON, bot: idle.platformId, quietly: true });
    for (const text of ['the first of before', 'the last of before']) await send(idle, text);
    type Past = { message?: { text?: string } };
    const known = async () =>
      (await suite.fleet.rest<Past[]>(`/api/updates?bot_id=${idle.id}`)).map(({ message }) => message?.text);
    await waitFor(async () => String(await known()) === 'the last of before,the first of before', {
      timeoutMs: 60_000,
    });
    const { page, complaints } = await openAsAdmin(`live?bots=${idle.id}`);
    await eventOf(page, 'the first of before').waitFor();
    expect(await events(page).getByRole('row').nth(1).textContent()).toContain('the last of before');
    await eventOf(page, 'the last of before').getByRole('button').press('Enter');
    const details = page.getByRole('complementary', { name: 'update message' });
    expect(await details.getByRole('button', { name: 'Copy as curl' }).count()).toBe(0);
    await details.getByRole('link', { name: 'Trace' }).click();
    await page.waitForURL(`**/bots/${idle.id}/updates/*`);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'nothing moves under the pointer or the focus: what is new waits until these have left the list',
  async () => {
    const { page, complaints } = await openAsAdmin(`live?bots=${shop.id}&kind=update`);
    await isLive(page);
    await waitFor(async () => {
      await send(shop, 'is it read?');
      return eventOf(page, 'is it read?').first().isVisible();
    });
    // Events come in order: nothing of before is on its way any more.
    await send(shop, 'under the pointer');
    await eventOf(page, 'under the pointer').waitFor();
    // At the head of the list: further below, the list holds because it is scrolled.
    const row = eventOf(page, 'under the pointer').first();
    await row.hover();
    expect(await page.evaluate('window.scrollY')).toBe(0);
    const top = async () => (await row.boundingBox())?.y;
    const before = await top();
    await send(shop, 'it waits');
    await page.getByRole('button', { name: '1 new', exact: true }).waitFor();
    await send(shop, 'it waits too');
    await page.getByRole('button', { name: '2 new', exact: true }).waitFor();
    expect(await eventOf(page, 'it waits').count()).toBe(0);
    expect(await top()).toBe(before);
    await page.getByRole('heading', { name: 'Live' }).hover();
    await eventOf(page, 'it waits').first().waitFor();
    await page.keyboard.press('j');
    await page.locator('.live-list .row-link:focus').waitFor();
    await send(shop, 'under the focus');
    await page.getByRole('button', { name: '1 new', exact: true }).waitFor();
    expect(await eventOf(page, 'under the focus').count()).toBe(0);
    await page.getByRole('button', { name: 'Pause' }).focus();
    await eventOf(page, 'under the focus').first().waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'one counter says how many events were too much to show, a row where some may be missing, and a flood says its rate',
  async () => {
    const { page, complaints } = await openAsAdmin(`live?bots=${shop.id}&kind=call`);
    await isLive(page);
    const long = 'much to read '.repeat(300);
    await waitFor(
      async () => {
        await Promise.all(Array.from({ length: 40 }, () => send(shop, long)));
        return page.getByText('events were too much to show').isVisible();
      },
      { timeoutMs: 60_000, message: 'the counter of what was skipped' },
    );
    await waitFor(
      async () => {
        await Promise.all(Array.from({ length: 40 }, () => send(shop, 'one of many')));
        return page.getByText('events a second').isVisible();
      },
      { timeoutMs: 60_000, message: 'the rate of the events' },
    );
    expect(await eventOf(page, 'Events may be missing here').count()).toBe(0);
    // A position of another installation: the server cannot know what this page has seen.
    await page.route('**/api/live?*', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'last-event-id': 'none-of-ours' } }),
    );
    await page.reload();
    await eventOf(page, 'Events may be missing here').first().waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the second key of a sequence is no shortcut by itself',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${shop.id}`);
    await page.getByRole('heading', { name: 'Shop EU' }).waitFor();
    // Both in one go: a slow machine must not make two shortcuts of the sequence, which nobody knows.
    await page.evaluate(`for (const key of ['g', ']']) {
      document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    }`);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/\/bots\/\d+$/);
    await page.keyboard.press(']');
    await page.waitForURL('**/chats');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'an account sees events of its own bots only, also by address',
  async () => {
    const ivy = {
      username: 'ivy',
      password: 'a password of ivy',
      display_name: 'Ivy',
      role: 'user',
      bot_ids: [help.id],
    };
    await suite.fleet.rest('/api/auth/users/add', ivy);
    const { page, signIn } = await suite.open(`live?bots=${shop.id},${help.id}`);
    await signIn(ivy.username, ivy.password);
    await page.getByRole('list', { name: 'Watched bots' }).getByText('Help desk').waitFor();
    await isLive(page);
    await waitFor(async () => {
      await send(shop, 'not for ivy');
      await send(help, 'for ivy');
      return eventOf(page, 'for ivy').first().isVisible();
    });
    const text = await page.locator('main').textContent();
    expect([text?.includes('not for ivy'), text?.includes('Shop EU')]).toEqual([false, false]);
  },
  TEST_MS,
);

test(
  'a bot that is taken from an account ends its events, and the page goes on with those of the others',
  async () => {
    const { fleet } = suite;
    const oscar = { username: 'oscar', password: 'a password of oscar', role: 'user', bot_ids: [shop.id, help.id] };
    const { id } = await fleet.rest<{ id: number }>('/api/auth/users/add', oscar);
    const { page, context, signIn } = await suite.open(`live?bots=${shop.id},${help.id}`);
    const streams = openStreams(context);
    await signIn(oscar.username, oscar.password);
    await page.getByRole('list', { name: 'Watched bots' }).getByText('Help desk').waitFor();
    await isLive(page);
    await waitFor(() => streams.urls().some((url) => url.includes(`bot:${shop.id}`)));
    await fleet.rest('/api/auth/users/update', { id, bot_ids: [help.id] });
    const isNarrowed = () => streams.urls().length === 1 && !streams.urls()[0]!.includes(`bot:${shop.id}`);
    await waitFor(isNarrowed, { timeoutMs: 30_000, message: 'a stream without the bot' });
    await isLive(page);
    await waitFor(async () => {
      await send(help, 'still for oscar');
      return eventOf(page, 'still for oscar').first().isVisible();
    });
  },
  TEST_MS,
);

testLooks('the live screen is accessible and fits the window', suite, async ({ page, signIn }, lookAt) => {
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/live`);
  await events(page).getByText('delivery').first().waitFor();
  await lookAt('live-begun');
  await waitFor(async () => {
    await send(shop, 'a look at the list');
    return eventOf(page, 'a look at the list').first().isVisible();
  });
  await lookAt('live');
  await page.keyboard.press('p');
  await send(shop, 'one more');
  await page.getByRole('button', { name: /^\d+ new$/ }).waitFor();
  await lookAt('live-paused');
  await events(page).getByRole('button').last().press('Enter');
  await page.getByRole('complementary').getByRole('button', { name: 'Copy JSON' }).waitFor();
  await lookAt('live-details');
  await page.goto(`${suite.fleet.url}/console/bots/${shop.id}/live`);
  await isLive(page);
  await waitFor(async () => {
    await send(shop, 'on the tab');
    return eventOf(page, 'on the tab').first().isVisible();
  });
  await lookAt('bot-live');
});

test(
  'the list of bots is sorted by a column, which the address keeps, and its rows can be compact',
  async () => {
    const { page, complaints } = await openAsAdmin();
    const table = page.getByRole('table', { name: 'Bots' });
    const names = () => table.locator('.name-cell a').allTextContents();
    await table.getByRole('link', { name: 'Shop EU' }).waitFor();
    expect((await names()).slice(0, 2)).toEqual(['Shop EU', 'Help desk']);
    await table.getByRole('button', { name: 'Name' }).press('Enter');
    await page.waitForURL('**/console/?sort=name');
    await waitFor(async () => (await names())[0] === 'Help desk', { message: 'the sorted list' });
    const head = table.getByRole('columnheader', { name: 'Name', exact: true });
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    await page.reload();
    await waitFor(async () => (await names())[0] === 'Help desk', { message: 'the sorted list again' });

    const height = async () => (await table.locator('.table-body [role=row]').first().boundingBox())!.height;
    const usual = await height();
    await page.getByRole('button', { name: 'Appearance and language' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Compact rows' }).click();
    await waitFor(async () => (await height()) < usual, { message: 'lower rows' });
    await page.reload();
    await waitFor(async () => (await height()) < usual, { message: 'lower rows still' });
    await page.keyboard.press('Escape');
    await table.getByRole('button', { name: 'Name' }).click();
    await page.waitForURL('**/console/');
    await waitFor(async () => (await names())[0] === 'Shop EU', { message: 'the first order' });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

const chartOf = (page: Page) =>
  page.getByRole('region', { name: 'Activity' }).getByRole('img', { name: /^Activity\./ });

test(
  'the activity of the fleet and of a bot is a picture, with its values by arrow keys and in words',
  async () => {
    const { page, complaints } = await openAsAdmin();
    const chart = chartOf(page);
    await page.getByText('Activity', { exact: true }).click();
    await page.waitForURL('**/console/?range=hour');
    await waitFor(async () => /Received: [1-9]/.test((await chart.getAttribute('aria-label')) ?? ''), {
      timeoutMs: 60_000,
      message: 'the updates in the picture',
    });
    await page.getByText('Total', { exact: true }).waitFor();
    await page.getByRole('img', { name: /^Queued updates\. Queued: \d+ last, at most \d+\./ }).waitFor();
    await chart.press('ArrowLeft');
    await page.getByText('Total', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '7 days' }).click();
    await page.waitForURL('**/console/?range=week');
    await page.goto(`${suite.fleet.url}/console/bots/${shop.id}`);
    await chartOf(page).waitFor();
    await page.getByRole('img', { name: /How far each reader is in the log\. Backend: Up to date/ }).waitFor();
    await page.getByRole('button', { name: '24 hours' }).click();
    await page.waitForURL(/\/bots\/\d+\/?\?range=day$/);
    await page.reload();
    await page.locator('[aria-pressed=true]', { hasText: '24 hours' }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

/** A bot whose backend is dead, with updates that wait for it. */
async function addLateBot(): Promise<FleetBot> {
  const late = await suite.fleet.addBot(
    { proxy_enabled: true, backend_url: 'http://127.0.0.1:9' },
    { name: 'Late shop' },
  );
  await suite.fleet.control.startBot({ person: PERSON, bot: late.platformId });
  for (const text of ['one', 'two', 'three']) await send(late, text);
  return late;
}

testLooks('pictures over time are accessible and fit the window', suite, async ({ page, signIn }, lookAt) => {
  await signIn(...ADMIN);
  await page.getByText('Activity', { exact: true }).click();
  await chartOf(page).waitFor();
  await lookAt('fleet-activity');
  await page.goto(`${suite.fleet.url}/console/bots/${shop.id}`);
  await chartOf(page).waitFor();
  await page.getByRole('img', { name: /How far each reader/ }).waitFor();
  await lookAt('bot-activity');
  late ??= await addLateBot();
  await page.goto(`${suite.fleet.url}/console/bots/${late.id}`);
  await page.getByRole('img', { name: /How far each reader .*Backend: [34] updates behind/ }).waitFor();
  await lookAt('bot-reader-behind');
});

test(
  'the list misses and doubles nothing while the api process that streams it stops, behind nginx',
  async () => {
    const { fleet } = suite;
    await fleet.start('api');
    const streamsOf = (api: FleetProcess) => readMetric(api, 'flotilla_live_streams');
    const streaming = async () => {
      for (const api of fleet.apis) if ((await streamsOf(api)) === 1) return api;
      return null;
    };
    const areIdle = async () => (await Promise.all(fleet.apis.map(streamsOf))).every((open) => open === 0);
    await waitFor(areIdle, { timeoutMs: 30_000, message: 'the end of the streams of closed pages' });
    const nginx = await startNginx({ apiPorts: fleet.apis.map(({ port }) => port) });
    // High enough for all rows: others are not in the page.
    const viewport = { width: 1280, height: 4_000 };
    const path = `live?bots=${shop.id}&kind=update&q=number`;
    const one = await openConsole(suite.browser, nginx.url, path, { viewport });
    try {
      const { page, signIn } = one;
      await signIn(...ADMIN);
      await page.getByRole('list', { name: 'Watched bots' }).getByText('Shop EU').waitFor();
      await isLive(page);
      // The page may be live before its stream has this bot.
      await waitFor(
        async () => {
          await send(shop, 'a number to begin with');
          return eventOf(page, 'a number to begin with').first().isVisible();
        },
        { timeoutMs: 30_000, message: 'an event of the bot' },
      );
      const pod = (await waitFor(streaming, { timeoutMs: 30_000, message: 'a process that streams' }))!;
      const sent: string[] = [];
      const sendNext = async () => {
        sent.push(`number ${sent.length + 1}`);
        await send(shop, sent.at(-1)!);
      };
      for (let n = 0; n < 5; n += 1) await sendNext();
      const stopping = pod.stop();
      for (let n = 0; n < 10; n += 1) await sendNext();
      expect(await stopping).toBe(0);
      fleet.apis.splice(fleet.apis.indexOf(pod), 1);
      await waitFor(streaming, { timeoutMs: 30_000, message: 'the other process to stream' });
      for (let n = 0; n < 5; n += 1) await sendNext();
      await eventOf(page, sent.at(-1)!).first().waitFor();
      const shown = await events(page).locator('.live-text bdi').allInnerTexts();
      expect(shown.filter((text) => sent.includes(text)).toReversed()).toEqual(sent);
    } finally {
      await one.context.close();
      await nginx.stop();
    }
  },
  TEST_MS,
);
