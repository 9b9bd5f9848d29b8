import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { startTestRedis } from '@flotilla/testing/redis.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS } from './console-suite.ts';
import { picture } from './open-console.ts';

const AWAY_MS = 60_000;
/** Filled before the fleet starts: the processes reach the stores by these addresses. */
const settings: Record<string, string> = {};

let postgres: TcpRelay;
let redis: Awaited<ReturnType<typeof startTestRedis>>;
let bot: FleetBot;

const suite = consoleSuite({ apis: 1, workers: 1 }, settings, async ({ url }) => {
  const database = new URL(url);
  postgres = await startTcpRelay(Number(database.port));
  database.port = String(postgres.port);
  redis = await startTestRedis();
  Object.assign(settings, { DATABASE_URL: database.href, REDIS_URL: redis.url });
});
const { openAsAdmin } = suite;

beforeAll(async () => {
  bot = await suite.fleet.addBot({ proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' }, { name: 'Help desk' });
  const letter = { bot_id: bot.id, reader: 'push', payload: '{"update_id":1}', reason: 'upstream is away' };
  await suite.database.db
    .insertInto('dead_letters')
    .values([1, 2, 3].map((update_id) => ({ ...letter, update_id, attempts: 2, last_status: 502 })))
    .execute();
}, TEST_MS);

afterAll(async () => {
  await postgres?.stop();
  await redis?.stop();
});

test(
  'with Postgres away a bar says that delivery goes on, the rows and what was typed stay, and it all comes back',
  async () => {
    const { page } = await openAsAdmin('deliveries?q=upstream');
    await page.getByText('3 match', { exact: true }).waitFor();
    await page.goto(`${suite.fleet.url}/console/bots/${bot.id}`);
    await page.getByRole('button', { name: 'Test delivery…' }).click();
    const draft = page.getByLabel('Update, as JSON');
    await draft.fill('{"update_id":77}');
    await postgres.cut();
    await page.getByRole('button', { name: 'Send the test' }).click();
    const bar = page.locator('.outage').getByText('Delivery goes on');
    await bar.waitFor({ timeout: AWAY_MS });
    expect(await draft.inputValue()).toBe('{"update_id":77}');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Help desk' }).waitFor();

    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await page.getByLabel('Update or error').fill('upstream');
    await page.waitForURL('**/console/deliveries?q=upstream');
    await bar.waitFor();
    await picture(page, 'postgres-away');

    await postgres.restore();
    await bar.waitFor({ state: 'detached', timeout: AWAY_MS });
    await page.getByText('3 match', { exact: true }).waitFor({ timeout: AWAY_MS });
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/\?q=upstream$/);
  },
  3 * TEST_MS,
);

test(
  'with Redis away a bar says that intake waits, the last rows stay, and it comes back without a reload',
  async () => {
    const { page } = await openAsAdmin('?q=help');
    const row = page.getByRole('table', { name: 'Bots' }).getByRole('link', { name: 'Help desk' });
    await row.waitFor();
    redis.kill();
    const bar = page.locator('.outage').getByText('Intake waits');
    await bar.waitFor({ timeout: AWAY_MS });
    expect(await row.isVisible()).toBe(true);
    await picture(page, 'redis-away');
    await redis.restart();
    await bar.waitFor({ state: 'detached', timeout: AWAY_MS });
    await row.waitFor();
    expect(await page.getByLabel('Filter', { exact: true }).inputValue()).toBe('help');
    expect(page.url()).toMatch(/\?q=help$/);
  },
  3 * TEST_MS,
);

test(
  'a page that is opened while Redis is away says so, and goes on by itself',
  async () => {
    const { page, context } = await openAsAdmin('');
    redis.kill();
    const fresh = await context.newPage();
    await fresh.goto(`${suite.fleet.url}/console/`);
    await fresh.getByRole('alert').first().waitFor({ timeout: AWAY_MS });
    await redis.restart();
    await fresh.getByRole('heading', { name: 'Fleet' }).waitFor({ timeout: AWAY_MS });
    await page.locator('.outage').getByText('Intake waits').waitFor({ state: 'detached', timeout: AWAY_MS });
  },
  3 * TEST_MS,
);

test(
  'when the only api ends, a bar says that it cannot be reached, and the page goes on with the next one',
  async () => {
    const { fleet } = suite;
    const { page } = await openAsAdmin('?q=help');
    const row = page.getByRole('table', { name: 'Bots' }).getByRole('link', { name: 'Help desk' });
    await row.waitFor();
    const [api] = fleet.apis;
    await api!.kill();
    const bar = page.locator('.outage').getByText('cannot be reached');
    await bar.waitFor({ timeout: AWAY_MS });
    expect(await row.isVisible()).toBe(true);
    await fleet.start('api', {}, api!.port);
    await bar.waitFor({ state: 'detached', timeout: AWAY_MS });
    await row.waitFor();
    expect(page.url()).toMatch(/\?q=help$/);
  },
  3 * TEST_MS,
);

test(
  'a screen that is first opened while the only api is away leaves the page with a bar, and opens with the next api',
  async () => {
    const { fleet } = suite;
    const { page } = await openAsAdmin('?q=help');
    await page.getByRole('table', { name: 'Bots' }).getByRole('link', { name: 'Help desk' }).waitFor();
    const [api] = fleet.apis.slice(-1);
    await api!.kill();
    const screens = page.getByRole('navigation', { name: 'Screens' });
    await screens.getByRole('link', { name: 'Audit' }).click();
    await page.waitForURL('**/console/audit');
    await page.locator('.outage').getByText('cannot be reached').waitFor({ timeout: AWAY_MS });
    expect(await page.getByRole('heading', { name: 'Fleet' }).isVisible()).toBe(true);
    await picture(page, 'screen-away');
    // Who goes back to what is loaded keeps it: no fresh page comes for a screen that nobody waits for.
    await screens.getByRole('link', { name: 'Fleet' }).click();
    await page.waitForURL('**/console/');
    await page.evaluate('window.isOfBefore = true');
    const answered = page.waitForResponse((answer) => answer.request().method() === 'HEAD' && answer.ok());
    const next = await fleet.start('api', {}, api!.port);
    await answered;
    await page.locator('.outage').waitFor({ state: 'detached', timeout: AWAY_MS });
    expect(await page.evaluate('window.isOfBefore')).toBe(true);

    await next.kill();
    await screens.getByRole('link', { name: 'Search' }).click();
    await page.waitForURL('**/console/search');
    await page.locator('.outage').getByText('cannot be reached').waitFor({ timeout: AWAY_MS });
    await fleet.start('api', {}, api!.port);
    await page.getByRole('heading', { name: 'Search' }).waitFor({ timeout: AWAY_MS });
    await page.locator('.outage').waitFor({ state: 'detached', timeout: AWAY_MS });
  },
  3 * TEST_MS,
);
