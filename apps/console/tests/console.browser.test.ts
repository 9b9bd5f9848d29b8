import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { BROWSER_START_MS, type Browser, startBrowser } from '@flotilla/testing/browser.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { insertManyBots } from '@flotilla/testing/many-bots.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type OpenConsole, openConsole, picture } from './open-console.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ADMIN = ['admin', 'a password for tests'] as const;
const GRACE = ['grace', 'first password of grace'] as const;
const MANY = 300;
const PERSON = 4242;
const TEST_MS = 90_000;

let browser: Browser;
let database: TestDatabase;
let backend: TestBackend;
let fleet: Fleet;
let desk: FleetBot;
let shop: FleetBot;
const opened: OpenConsole[] = [];

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/console.mjs', '--if-stale'], { cwd: ROOT });
  browser = await startBrowser();
}, BROWSER_START_MS);

beforeAll(async () => {
  backend = await startBackend((_request, response) => void response.writeHead(502).end('upstream is away'));
  database = await testDatabase();
  await insertManyBots(database.db, MANY, () => backend.url);
  await database.db.updateTable('bots').set({ disabled: true, name: 'Branch office' }).execute();
  fleet = await startFleet({ apis: 1, workers: 1 }, {}, database);
  desk = await fleet.addBot({ long_poll_enabled: true }, { name: 'Help desk', username: 'helpdesk_bot' });
  const backendOfShop = { proxy_enabled: true, backend_url: `${backend.url}/shop` };
  shop = await fleet.addBot(backendOfShop, { name: 'Shop EU', username: 'shop_eu_bot' });
  const grace = { username: GRACE[0], password: GRACE[1], display_name: 'Grace', role: 'user', bot_ids: [desk.id] };
  await fleet.rest('/api/auth/users/add', { ...grace, must_change_password: true });
  await fleet.control.createPerson({ id: PERSON });
  await fleet.control.startBot({ person: PERSON, bot: shop.platformId });
  await backend.waitForRequests(1);
}, TEST_MS);

afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ context }) => context.close()));
});

afterAll(async () => {
  await browser?.close();
  await fleet?.stop();
  await database?.drop();
  await backend?.stop();
}, TEST_MS);

async function open(path?: string, options?: Parameters<typeof openConsole>[3]): Promise<OpenConsole> {
  const one = await openConsole(browser, fleet.url, path, options);
  opened.push(one);
  return one;
}

async function openAsAdmin(path?: string, options?: Parameters<typeof openConsole>[3]): Promise<OpenConsole> {
  const one = await open(path, options);
  await one.signIn(...ADMIN);
  await one.page.getByRole('navigation', { name: 'Screens' }).waitFor();
  return one;
}

test(
  'a person signs in, sees first what needs attention, filters and opens a bot, all by keyboard',
  async () => {
    const { page, complaints, answers, files } = await open();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.keyboard.type(ADMIN[0]);
    await page.keyboard.press('Tab');
    await page.keyboard.type(ADMIN[1]);
    await page.keyboard.press('Enter');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByRole('link', { name: 'Shop EU' }).waitFor({ timeout: 60_000 });
    const bytesOf = (ending: string) =>
      [...files].reduce((sum, [name, size]) => sum + (name.endsWith(ending) ? size : 0), 0);
    expect(bytesOf('.js')).toBeGreaterThan(50 * 1024);
    expect(bytesOf('.js')).toBeLessThan(220 * 1024);
    expect(bytesOf('.css')).toBeLessThan(12 * 1024);

    await page.keyboard.press('/');
    await page.keyboard.type('help');
    await page.waitForURL('**/console/?q=help');
    await page.getByText('1 bot', { exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Help desk' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();

    await page.keyboard.press('Control+k');
    await page.keyboard.type('shop');
    await page.getByRole('option', { name: 'Shop EU' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Shop EU' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');

    expect(complaints).toEqual([]);
    const seen = `${await page.content()} ${await page.evaluate('JSON.stringify([localStorage, sessionStorage])')}`;
    const network = answers.map(({ text }) => text).join();
    expect(network).toContain('Shop EU');
    for (const { token } of [desk, shop])
      expect([seen.includes(token), network.includes(token)]).toEqual([false, false]);
  },
  TEST_MS,
);

test(
  'a filter by name or by state is in the address, and a list of hundreds keeps only what is on the screen',
  async () => {
    const { page, complaints } = await openAsAdmin('?state=disabled');
    const table = page.getByRole('table', { name: 'Bots' });
    await page.getByText(`${MANY} bots`, { exact: true }).waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe(String(MANY + 1));
    expect(await table.getByRole('row').count()).toBeLessThan(60);
    await page.keyboard.press('End');
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    await table.locator(`[aria-rowindex="${MANY + 1}"] a`).waitFor();
    expect(await table.getByRole('row').count()).toBeLessThan(60);

    await page.evaluate('window.scrollTo(0, 0)');
    await page.getByLabel('Filter', { exact: true }).fill('many_12');
    await page.waitForURL('**/console/?state=disabled&q=many_12');
    await page.getByText('11 bots', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('11 bots', { exact: true }).waitFor();
    await page.getByLabel('Filter', { exact: true }).fill('nobody has this name');
    await page.getByText('No bot matches the filter.').waitFor();
    await page.getByRole('link', { name: 'Clear the filter' }).click();
    await page.getByText(`${MANY + 2} bots`, { exact: true }).waitFor();
    expect(page.url()).toMatch(/\/console\/$/);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a bot shows who reads it, whose backend can be tried at once, and its attempts, one of which opens beside the list',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${shop.id}`);
    await page.getByText(`${backend.url}/shop`).waitFor();
    const readers = page.getByRole('region', { name: 'Readers' });
    await readers.getByText('1 update behind').waitFor();
    const sent = backend.requests.length;
    await readers.getByRole('button', { name: 'Try now' }).click();
    await backend.waitForRequests(sent + 1);
    const attempts = page.getByRole('region', { name: 'Last attempts' });
    await attempts.getByRole('button', { name: '502' }).first().click();
    const details = page.getByRole('complementary', { name: /Attempt for update/ });
    await details.getByText('Wrong response from the webhook: 502').waitFor();
    await picture(page, 'bot-attempt');
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'an account with a password that somebody else set changes it, and sees its own bots only, also by address',
  async () => {
    const { page, signIn, complaints, faults } = await open(`bots/${desk.id}`);
    await signIn(...GRACE);
    await page.getByRole('heading', { name: 'Change your password' }).waitFor();
    await picture(page, 'forced-change');
    expect(await faults()).toEqual([]);
    await page.getByLabel('Current password').fill('something else');
    await page.getByLabel('New password').fill('password123');
    await page.keyboard.press('Enter');
    await page.getByText('one of the most common').waitFor();
    await page.getByLabel('Current password').fill(GRACE[1]);
    await page.getByLabel('New password').fill('second password of grace');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Help desk' }).waitFor();
    await page.goto(`${fleet.url}/console/bots/${shop.id}`);
    await page.getByText('There is no such bot, or it is not among yours.').waitFor();
    await page.goto(`${fleet.url}/console/?q=bot`);
    await page.getByText('1 bot', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Queues' }).count()).toBe(0);
    expect(await page.content()).not.toContain('Shop EU');
    expect(complaints.filter((line) => !line.includes('/api/bots/show'))).toEqual([]);
    await page.getByRole('button', { name: 'Account of Grace' }).click();
    await page.route('**/api/auth/logout', (route) => route.abort());
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('Flotilla cannot be reached.').waitFor();
    await page.unroute('**/api/auth/logout');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  },
  TEST_MS,
);

const LOOKS = [
  ['light', 'light', 1280, 800],
  ['dark', 'dark', 1280, 800],
  ['light-narrow', 'light', 390, 844],
  ['dark-narrow', 'dark', 390, 844],
  ['zoomed', 'light', 320, 256],
] as const;

test.each(LOOKS)(
  'every screen is accessible and fits the window: %s',
  async (name, colorScheme, width, height) => {
    const looks = { colorScheme, viewport: { width, height } };
    const { page, signIn, complaints, faults } = await open('', looks);
    const check = async (screen: string) => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect({ screen, faults: await faults() }).toEqual({ screen, faults: [] });
      await picture(page, `${screen}-${name}`);
    };
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await check('sign-in');
    await signIn(...ADMIN);
    await page.getByRole('region', { name: 'Needs attention' }).waitFor();
    await page.getByRole('table', { name: 'Bots' }).getByRole('link').first().waitFor();
    await check('fleet');
    await page.getByRole('button', { name: 'Appearance and language' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor();
    await check('preferences');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    await check('palette');
    await page.keyboard.press('Escape');
    await page.goto(`${fleet.url}/console/bots/${shop.id}`);
    await page.getByRole('heading', { name: 'Shop EU' }).waitFor();
    await page.getByRole('button', { name: '502' }).first().waitFor();
    await check('bot');
    await page.goto(`${fleet.url}/console/nothing/here`);
    await page.getByText('There is no such page').waitFor();
    await check('not-found');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the theme and the language that a person chose stay, also from right to left',
  async () => {
    const { page, complaints } = await openAsAdmin();
    await page.getByRole('button', { name: 'Appearance and language' }).click();
    await page.getByRole('menuitemradio', { name: 'Русский' }).click();
    await page.getByRole('heading', { name: 'Флот' }).waitFor();
    await page.getByRole('button', { name: 'Оформление и язык' }).click();
    await page.getByRole('menuitemradio', { name: 'Тёмная' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Флот' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('ru');
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    await page.getByRole('region', { name: 'Требуют внимания' }).waitFor();
    await picture(page, 'fleet-russian');
    await page.evaluate("document.documentElement.dir = 'rtl'");
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1280);
    await picture(page, 'fleet-rtl');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'when the session ends, the page stays below the sign-in, and goes on after it',
  async () => {
    const { page, context, signIn } = await openAsAdmin();
    await page.getByLabel('Filter', { exact: true }).fill('shop');
    await page.waitForURL('**/console/?q=shop');
    await context.clearCookies();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.waitFor();
    await picture(page, 'sign-in-again');
    await signIn(...ADMIN);
    await again.waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Bots' }).getByRole('link', { name: 'Shop EU' }).waitFor();
    expect(await page.getByLabel('Filter', { exact: true }).inputValue()).toBe('shop');
  },
  TEST_MS,
);

test(
  'a page of another release reloads once if a file that it needs is gone',
  async () => {
    const { page } = await openAsAdmin(`bots/${desk.id}`);
    await page.getByRole('heading', { name: 'Help desk' }).waitFor();
    const gone = '**/console/assets/fleet-*.js';
    await page.route(gone, (route) => route.fulfill({ status: 404 }));
    const reloaded = page.waitForEvent('load');
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Fleet' }).click();
    await reloaded;
    await page.unroute(gone);
    await page.reload();
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Fleet' }).click();
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  },
  TEST_MS,
);

test(
  'a wrong password is refused in words, and too many of them with the time to wait',
  async () => {
    const { page, signIn, complaints } = await open();
    await signIn('admin', 'not the password');
    await page.getByText('The username or the password is wrong.').waitFor();
    await picture(page, 'sign-in-refused');
    const limited = page.getByText(/Too many failed attempts\. Try again in \d+ minutes\./);
    await waitFor(async () => {
      await page.keyboard.press('Enter');
      return limited.isVisible();
    });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);
