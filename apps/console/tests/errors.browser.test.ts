import type { Locator, Page } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { type OwnPostgres, startOwnPostgres } from '@flotilla/testing/own-postgres.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS } from './console-suite.ts';
import { picture } from './open-console.ts';

const AWAY_MS = 60_000;
const PERSON = 777;
const WINDOW_PX = 800;
/** Of a bar with two lines of text, at most. */
const BAR_PX = 80;
const URL_BEFORE = 'http://127.0.0.1:9/';

let postgres: OwnPostgres;
let redis: TestRedis;
let bot: FleetBot;
let desk: FleetBot;

const suite = consoleSuite({ apis: 1, workers: 1 }, {}, async () => {
  [postgres, redis] = await Promise.all([startOwnPostgres(), startTestRedis()]);
  return { database: postgres, redis };
});
const { openAsAdmin } = suite;

beforeAll(async () => {
  const { fleet } = suite;
  bot = await fleet.addBot({ proxy_enabled: true, backend_url: URL_BEFORE }, { name: 'Help desk' });
  const letter = { bot_id: bot.id, reader: 'push', payload: '{"update_id":1}', reason: 'upstream is away' };
  await suite.database.db
    .insertInto('dead_letters')
    .values(
      [1, 2, 3].map((update_id) => ({ ...letter, update_id, reason_code: 'refused', attempts: 2, last_status: 502 })),
    )
    .execute();
  desk = await fleet.addBot({}, { name: 'Front desk', username: 'front_desk_bot' });
  await fleet.control.createPerson({ id: PERSON, firstName: 'Ada' });
  await fleet.control.startBot({ person: PERSON, bot: desk.platformId });
  await fleet.control.sendMessage({ person: PERSON, bot: desk.platformId, text: 'Is anybody there?' });
}, TEST_MS);

const bar = (page: Page) => page.locator('.outage');
const storageIsAway = (page: Page) => bar(page).getByText('Storage is unavailable. Delivery continues');

/** Starts Postgres again, and waits until the page has seen it by itself. */
async function bringPostgresBack(page: Page): Promise<void> {
  await postgres.restart();
  await bar(page).waitFor({ state: 'detached', timeout: AWAY_MS });
}

/** True if all of it is in the window, whose height is that of the tests. */
async function isInWindow(part: Locator): Promise<boolean> {
  const { y, height } = (await part.boundingBox())!;
  return y >= 0 && y + height <= WINDOW_PX;
}

/** What the browser complained about, but for requests that the api did not answer. */
function faultsOfPage(complaints: string[]): string[] {
  return complaints.filter((line) => !/^Failed to load resource: .*\/api\//.test(line));
}

test(
  'with Postgres stopped a bar says that delivery goes on, the rows and what was typed stay, and it all comes back',
  async () => {
    const { page, complaints } = await openAsAdmin('deliveries?q=upstream');
    await page.getByText('3 match', { exact: true }).waitFor();
    await page.goto(`${suite.fleet.url}/console/bots/${bot.id}`);
    await page.getByRole('button', { name: 'Test delivery…' }).click();
    const draft = page.getByLabel('Update, as JSON');
    await draft.fill('{"update_id":77}');
    await postgres.kill();
    await page.getByRole('button', { name: 'Send test' }).click();
    await storageIsAway(page).waitFor({ timeout: AWAY_MS });
    expect(await draft.inputValue()).toBe('{"update_id":77}');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Help desk' }).waitFor();

    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await page.getByLabel('Update or error').fill('upstream');
    await page.waitForURL('**/console/deliveries?q=upstream');
    await storageIsAway(page).waitFor();
    await picture(page, 'postgres-away');

    await bringPostgresBack(page);
    await page.getByText('3 match', { exact: true }).waitFor({ timeout: AWAY_MS });
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/\?q=upstream$/);
    expect(faultsOfPage(complaints)).toEqual([]);
  },
  3 * TEST_MS,
);

test(
  'with Postgres stopped the fleet keeps its rows and its figures with their time, and what was asked for meanwhile comes',
  async () => {
    const { page, complaints } = await openAsAdmin('?q=help&range=day');
    const row = page.getByRole('table', { name: 'Bots' }).getByRole('link', { name: 'Help desk' });
    const activity = page.getByRole('region', { name: 'Activity' });
    const chart = activity.getByRole('img', { name: /^Activity\./ });
    await row.waitFor();
    await chart.waitFor();
    await postgres.kill();
    await activity.getByRole('button', { name: '7 days' }).click();
    await storageIsAway(page).waitFor({ timeout: AWAY_MS });
    await activity.getByText('Out of date. Trying again.').waitFor({ timeout: AWAY_MS });
    expect(await row.isVisible()).toBe(true);
    const figures = page.getByRole('region', { name: 'Figures of the fleet' });
    // Figures that are younger than ten seconds need no time.
    await figures.getByText(/As of \d\d:\d\d:\d\d/).waitFor({ timeout: AWAY_MS });
    await picture(page, 'postgres-away-fleet');

    await bringPostgresBack(page);
    await chart.waitFor({ timeout: AWAY_MS });
    await activity.getByText('Out of date').waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/\?q=help&range=week$/);
    expect(faultsOfPage(complaints)).toEqual([]);
  },
  3 * TEST_MS,
);

test(
  'with Postgres stopped a message is not sent, its draft stays over a reload, and goes out once when it is sent again',
  async () => {
    const { page, complaints } = await openAsAdmin(`inbox/${desk.id}/${PERSON}`);
    const messages = page.getByRole('article');
    const question = messages.filter({ hasText: 'Is anybody there?' });
    await question.waitFor({ timeout: AWAY_MS });
    const field = page.getByRole('textbox', { name: 'Write as @front_desk_bot' });
    const holdsDraft = async () => (await field.inputValue()) === 'We are here.';
    const sent = async () => {
      const chat = await suite.fleet.control.readChat({ person: PERSON, bot: desk.platformId });
      return chat.messages.filter(({ text }) => text === 'We are here.').length;
    };
    await field.fill('We are here.');
    await postgres.kill();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText('Something went wrong. Storage is unavailable')
      .waitFor({ timeout: AWAY_MS });
    await storageIsAway(page).waitFor();
    expect((await bar(page).boundingBox())!.height).toBeLessThan(BAR_PX);
    expect([await question.isVisible(), await holdsDraft(), await sent()]).toEqual([true, true, 0]);
    await picture(page, 'postgres-away-inbox');
    await page.reload();
    await storageIsAway(page).waitFor({ timeout: AWAY_MS });
    await waitFor(holdsDraft, { timeoutMs: AWAY_MS, message: 'the draft after a reload' });

    await bringPostgresBack(page);
    await question.waitFor({ timeout: AWAY_MS });
    expect([await holdsDraft(), await sent()]).toEqual([true, 0]);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await messages.filter({ hasText: 'We are here.' }).waitFor({ timeout: AWAY_MS });
    expect([await field.inputValue(), await sent()]).toEqual(['', 1]);
    expect(faultsOfPage(complaints)).toEqual([]);
  },
  3 * TEST_MS,
);

test(
  'with Postgres stopped a change is refused in words and changes nothing, and is saved when it is tried again',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${bot.id}/settings`);
    const url = page.getByLabel('Backend URL');
    const change = `${URL_BEFORE}hook`;
    const stored = async () =>
      (await suite.fleet.rest<{ backend_url: string }>(`/api/bots/show?id=${bot.id}`)).backend_url;
    await url.fill(change);
    await postgres.kill();
    await page.getByRole('button', { name: 'Save' }).click();
    const refusal = page.getByRole('alert').getByText('Storage is unavailable');
    await refusal.waitFor({ timeout: AWAY_MS });
    await storageIsAway(page).waitFor();
    await page.getByText('1 unsaved change', { exact: true }).waitFor();
    // The field is further down than the head of the page, and far from the end of the form.
    for (const part of [refusal, storageIsAway(page)]) expect(await isInWindow(part)).toBe(true);
    await picture(page, 'postgres-away-settings');

    await bringPostgresBack(page);
    expect([await url.inputValue(), await stored()]).toEqual([change, URL_BEFORE]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor({ timeout: AWAY_MS });
    expect([await refusal.count(), await stored()]).toEqual([0, change]);
    expect(faultsOfPage(complaints)).toEqual([]);
  },
  3 * TEST_MS,
);

test(
  'with Redis stopped a bar says that intake waits, the last rows and figures stay, and it comes back without a reload',
  async () => {
    const { page, complaints } = await openAsAdmin('?q=help');
    const row = page.getByRole('table', { name: 'Bots' }).getByRole('link', { name: 'Help desk' });
    await row.waitFor();
    redis.kill();
    await bar(page).getByText('The queue is unavailable').waitFor({ timeout: AWAY_MS });
    expect(await row.isVisible()).toBe(true);
    const figures = page.getByRole('region', { name: 'Figures of the fleet' });
    // Figures that are younger than ten seconds need no time.
    await figures.getByText(/As of \d\d:\d\d:\d\d/).waitFor({ timeout: AWAY_MS });
    await picture(page, 'redis-away');
    await redis.restart();
    await bar(page).waitFor({ state: 'detached', timeout: AWAY_MS });
    await row.waitFor();
    expect(await page.getByLabel('Filter', { exact: true }).inputValue()).toBe('help');
    expect(page.url()).toMatch(/\?q=help$/);
    expect(faultsOfPage(complaints)).toEqual([]);
  },
  3 * TEST_MS,
);

test(
  'a page that is opened while Redis is stopped says so, and goes on by itself',
  async () => {
    const { page, context } = await openAsAdmin('');
    redis.kill();
    const fresh = await context.newPage();
    await fresh.goto(`${suite.fleet.url}/console/`);
    await fresh.getByRole('alert').first().waitFor({ timeout: AWAY_MS });
    await redis.restart();
    await fresh.getByRole('heading', { name: 'Fleet' }).waitFor({ timeout: AWAY_MS });
    await bar(page).waitFor({ state: 'detached', timeout: AWAY_MS });
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
    await bar(page).getByText('cannot be reached').waitFor({ timeout: AWAY_MS });
    expect(await row.isVisible()).toBe(true);
    await fleet.start('api', {}, api!.port);
    await bar(page).waitFor({ state: 'detached', timeout: AWAY_MS });
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
    await bar(page).getByText('cannot be reached').waitFor({ timeout: AWAY_MS });
    expect(await page.getByRole('heading', { name: 'Fleet' }).isVisible()).toBe(true);
    await picture(page, 'screen-away');
    // Who goes back to what is loaded keeps it: no fresh page comes for a screen that nobody waits for.
    await screens.getByRole('link', { name: 'Fleet' }).click();
    await page.waitForURL('**/console/');
    await page.evaluate('window.isOfBefore = true');
    const answered = page.waitForResponse((answer) => answer.request().method() === 'HEAD' && answer.ok());
    const next = await fleet.start('api', {}, api!.port);
    await answered;
    await bar(page).waitFor({ state: 'detached', timeout: AWAY_MS });
    expect(await page.evaluate('window.isOfBefore')).toBe(true);

    await next.kill();
    await screens.getByRole('link', { name: 'Search' }).click();
    await page.waitForURL('**/console/search');
    await bar(page).getByText('cannot be reached').waitFor({ timeout: AWAY_MS });
    await fleet.start('api', {}, api!.port);
    await page.getByRole('heading', { name: 'Search' }).waitFor({ timeout: AWAY_MS });
    await bar(page).waitFor({ state: 'detached', timeout: AWAY_MS });
  },
  3 * TEST_MS,
);
