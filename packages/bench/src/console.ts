import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { type Browser, type BrowserContext, type Page, startBrowser } from '@flotilla/testing/browser.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { makeBots } from './bots.ts';
import { liveFootprint } from './console-live.ts';
import { deadBackendSeenMs, messageSeenMs } from './console-seen.ts';
import { percentile } from './percentile.ts';
import { ms, report } from './report.ts';

const LOADS = 7;
const FILTERS = ['many_77', 'many_12', 'many_9', 'many_66', 'many_5', 'many_31', 'many_4', 'many_88', 'many_2'];
const CPU_TIMES_SLOWER = 4;
const NETWORK = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };
const WAIT_MS = 60_000;
const SETTLED_AFTER_MS = 1_500;
const KB = 1024;

type Row = { what: string; figure: string; target?: string };

/** The console over 10,000 bots: when its first screen is there on a slow machine, its bytes, its filter, its memory. */
export async function benchConsole(database: { url: string }): Promise<void> {
  const built = await timeOf('scripts/console.mjs');
  const upToDate = await timeOf('scripts/console.mjs', '--if-stale');
  const browser = await startBrowser();
  const seen = await seenAtOnce(browser, database);
  const fleet = await startFleet({ apis: 1, workers: 0 }, { LOG_LEVEL: 'error' }, database);
  try {
    await fillFleet(fleet, database);
    const context = await signedIn(browser, fleet);
    report('The console, over 10,000 bots', [
      { what: 'to build it', figure: ms(built) },
      { what: 'npm start when nothing changed: to see so', figure: ms(upToDate), target: '≤ 1000 ms' },
      ...(await firstScreen(context, fleet)),
      ...(await bytesOfScreens(context, fleet)),
      ...(await filterAndMemory(context, fleet)),
      ...(await anHourOfLive(context, fleet)),
      ...seen,
    ]);
  } finally {
    await browser.close();
    await fleet.stop();
  }
}

async function timeOf(...script: string[]): Promise<number> {
  const begunAt = performance.now();
  await promisify(execFile)(process.execPath, script);
  return performance.now() - begunAt;
}

async function fillFleet(fleet: Fleet, database: { url: string }): Promise<void> {
  const db = connectDatabase({ url: database.url, maxConnections: 2 });
  const redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
  await makeBots(db, redis);
  await redis.close();
  await db.destroy();
}

async function signedIn(browser: Browser, fleet: Fleet): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(WAIT_MS);
  // The page itself notes when the heading and the first row are there: asking from outside would cost time.
  await context.addInitScript(`
    const seen = window.seenAt = {};
    const look = () => {
      if (!seen.heading && document.querySelector('main h1')) seen.heading = performance.now();
      if (!seen.rows && document.querySelector('.table-body a')) seen.rows = performance.now();
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true });
  `);
  const page = await context.newPage();
  await page.goto(`${fleet.url}/console/`);
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill('a password for tests');
  await page.keyboard.press('Enter');
  await page.locator('.table-body a').first().waitFor();
  await page.close();
  return context;
}

/** Cold loads with an empty cache, on a slow processor behind a slow line. */
async function firstScreen(context: BrowserContext, fleet: Fleet): Promise<Row[]> {
  const [headings, rows]: number[][] = [[], []];
  for (let load = 0; load < LOADS; load += 1) {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    await devtools.send('Network.emulateNetworkConditions', NETWORK);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_TIMES_SLOWER });
    await page.goto(`${fleet.url}/console/`, { timeout: WAIT_MS });
    await page.locator('.table-body a').first().waitFor();
    const seen = (await page.evaluate('window.seenAt')) as { heading: number; rows: number };
    headings!.push(seen.heading);
    rows!.push(seen.rows);
    await page.close();
  }
  const figure = (took: number[]) => `${ms(percentile(took, 50))} / ${ms(Math.max(...took))}`;
  const slow = `CPU ÷${CPU_TIMES_SLOWER}, 10 Mbit/s, 40 ms`;
  return [
    { what: `${slow}: heading, median / worst`, figure: figure(headings!), target: '≤ 2500 ms' },
    { what: `${slow}: rows, usable, median / worst`, figure: figure(rows!), target: '≤ 3000 ms' },
  ];
}

/** What each screen loads with an empty cache; of all but the first, what it loads more than that. */
async function bytesOfScreens(context: BrowserContext, fleet: Fleet): Promise<Row[]> {
  const [bot] = await fleet.rest<{ id: number }[]>('/api/bots?limit=1');
  const first = await loadedBy(context, `${fleet.url}/console/`);
  const tabs = await loadedBy(context, `${fleet.url}/console/bots/${bot!.id}`);
  const paths = [...new Set([...first.links, ...tabs.links, '/console/bots/add'])].filter(
    (path) => path !== '/console/',
  );
  const rows = [rowOf('first screen, of it charts 25 KB at most', first.files, new Map(), '245 KB, CSS 12 KB')];
  for (const path of paths) {
    const { files } = await loadedBy(context, `${fleet.url}${path}`);
    rows.push(rowOf(`${path.replace(/\d+/, '<id>')}, more`, files, first.files, '30 KB'));
  }
  return rows;
}

type Files = Map<string, number>;

function rowOf(screen: string, files: Files, known: Files, target: string): Row {
  const kbOf = (ending: string) => {
    const own = [...files].filter(([name]) => name.endsWith(ending) && !known.has(name));
    return (own.reduce((sum, [, bytes]) => sum + bytes, 0) / KB).toFixed(1);
  };
  return { what: screen, figure: `JS ${kbOf('.js')} KB, CSS ${kbOf('.css')} KB gzip`, target: `≤ ${target}` };
}

async function loadedBy(context: BrowserContext, url: string): Promise<{ files: Files; links: string[] }> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  const files: Files = new Map();
  const measured: Promise<void>[] = [];
  page.on('requestfinished', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/console/assets/')) return;
    measured.push(request.sizes().then(({ responseBodySize }) => void files.set(pathname, responseBodySize)));
  });
  await page.goto(url);
  await page.locator('main :is(h1, h2, .empty)').first().waitFor();
  // The live stream never ends, so the network is never idle.
  await delay(SETTLED_AFTER_MS);
  await Promise.all(measured);
  const links = "[...document.querySelectorAll('nav.rail a, nav.tabs a')].map((link) => link.pathname)";
  const paths = ((await page.evaluate(links)) as string[]).filter((path) => path.startsWith('/console/'));
  await page.close();
  return { files, links: paths };
}

async function filterAndMemory(context: BrowserContext, fleet: Fleet): Promise<Row[]> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await page.goto(`${fleet.url}/console/`);
  await page.locator('.table-body a').first().waitFor();
  const took: number[] = [];
  for (const text of FILTERS) took.push(await timeOfFilter(page, text));
  const slow: number[] = [];
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_TIMES_SLOWER });
  // Other texts than before: their rows are not known yet.
  for (const text of FILTERS) slow.push(await timeOfFilter(page, `${text}0`));
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await page.getByRole('searchbox').fill('');
  await page.getByText('10,000 bots').waitFor();
  for (let part = 1; part <= 20; part += 1) {
    await page.evaluate(`window.scrollTo(0, document.body.scrollHeight * ${part / 20})`);
    await page.locator('.table-body a').first().waitFor();
  }
  const nodes = await page.locator('.table *').count();
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  await page.close();
  return [
    {
      what: 'a filter, from the key to the rows, p50 / worst',
      figure: `${ms(percentile(took, 50))} / ${ms(Math.max(...took))}`,
      target: '≤ 100 ms',
    },
    {
      what: `CPU ÷${CPU_TIMES_SLOWER}: the first key of a filter, from the key to the rows, p50 / worst`,
      figure: `${ms(percentile(slow, 50))} / ${ms(Math.max(...slow))}`,
      target: '≤ 100 ms',
    },
    { what: 'nodes of the list after a way through it', figure: String(nodes), target: '≤ 400' },
    { what: 'heap then', figure: megabytes(usedSize), target: '≤ 60 MB' },
  ];
}

async function anHourOfLive(context: BrowserContext, fleet: Fleet): Promise<Row[]> {
  const { beganBytes, endedBytes, nodes } = await liveFootprint(context, fleet);
  return [
    {
      what: 'heap of the live screen, at first / after an hour of 20 events a second',
      figure: `${megabytes(beganBytes)} / ${megabytes(endedBytes)}`,
      target: '≤ 60 MB',
    },
    { what: 'nodes of its list then', figure: String(nodes), target: '≤ 400' },
  ];
}

/** How soon the page shows what happens, in a fleet that is otherwise idle. */
async function seenAtOnce(browser: Browser, database: { url: string }): Promise<Row[]> {
  const fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'error' }, database);
  try {
    const bot = await fleet.addBot();
    const context = await signedIn(browser, fleet);
    const rows = [
      rowOfTimes('a message, from its writer to the open chat', await messageSeenMs(context, fleet, bot), 1_000),
      rowOfTimes(
        'a dead backend, from its first update to the head of what needs attention',
        await deadBackendSeenMs(context, fleet),
        5_000,
      ),
    ];
    await context.close();
    await fleet.rest('/api/bots/delete', { id: bot.id });
    return rows;
  } finally {
    await fleet.stop();
  }
}

function rowOfTimes(what: string, took: number[], targetMs: number): Row {
  return {
    what: `in a small fleet: ${what}, p50 / worst`,
    figure: `${ms(percentile(took, 50))} / ${ms(Math.max(...took))}`,
    target: `≤ ${targetMs} ms`,
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / KB / KB).toFixed(1)} MB`;
}

/** From the key to the new rows. */
function timeOfFilter(page: Page, text: string): Promise<number> {
  const script = `(text) => new Promise((done) => {
    const field = document.querySelector('input[type=search]');
    const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
    const begunAt = performance.now();
    const isFresh = () => {
      const rows = [...document.querySelectorAll('.table-body .row')];
      return rows.length > 0 && rows.every((row) => row.textContent.includes(text));
    };
    const watch = new MutationObserver(() => {
      if (!isFresh()) return;
      watch.disconnect();
      done(performance.now() - begunAt);
    });
    watch.observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true });
    setValue.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  })`;
  return page.evaluate<number>(`(${script})(${JSON.stringify(text)})`);
}
