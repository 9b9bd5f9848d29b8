import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { Page } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { insertManyBots } from '@flotilla/testing/many-bots.ts';
import { testDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { keptBy, picture, pressForeign } from './open-console.ts';

const GRACE = ['grace', 'first password of grace'] as const;
const HEIDI = ['heidi', 'a password of heidi'] as const;
const MANY = 300;
const PERSON = 4242;

let backend: TestBackend;
let desk: FleetBot;
let shop: FleetBot;

beforeAll(async () => {
  backend = await startBackend((_request, response) => void response.writeHead(502).end('upstream is away'));
});

const suite = consoleSuite({ apis: 1, workers: 1 }, {}, async () => {
  const database = await testDatabase();
  await insertManyBots(database.db, MANY, () => backend.url);
  await database.db.updateTable('bots').set({ disabled: true, name: 'Branch office' }).execute();
  return { database };
});
const { open, openAsAdmin } = suite;

beforeAll(async () => {
  const { fleet } = suite;
  desk = await fleet.addBot({ long_poll_enabled: true }, { name: 'Help desk', username: 'helpdesk_bot' });
  const backendOfShop = { proxy_enabled: true, backend_url: `${backend.url}/shop` };
  shop = await fleet.addBot(backendOfShop, { name: 'Shop EU', username: 'shop_eu_bot' });
  const grace = { username: GRACE[0], password: GRACE[1], display_name: 'Grace', role: 'user', bot_ids: [desk.id] };
  await fleet.rest('/api/auth/users/add', { ...grace, must_change_password: true });
  const heidi = { ...grace, username: HEIDI[0], password: HEIDI[1], display_name: 'Heidi' };
  await fleet.rest('/api/auth/users/add', { ...heidi, must_change_password: false });
  await fleet.control.createPerson({ id: PERSON });
  await fleet.control.startBot({ person: PERSON, bot: shop.platformId });
  await backend.waitForRequests(1);
}, TEST_MS);

afterAll(async () => {
  await backend?.stop();
});

/** What the page asks of the api to be complete, after it was opened again. What a slow machine lets it ask anew by the clock counts once. */
async function apiCallsOf(page: Page): Promise<string[]> {
  const calls = new Set<string>();
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/')) calls.add(pathname + search);
  });
  // The rows have come by then, and what they show of the last day is asked for last.
  const last = page.waitForResponse(/activity/);
  await page.reload();
  await page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: 'Shop EU' }).waitFor();
  await page.getByRole('table', { name: 'Bots' }).getByRole('link', { name: 'Help desk' }).waitFor();
  await last;
  return [...calls];
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
    const bytesOf = (pattern: RegExp) =>
      [...files].reduce((sum, [name, size]) => sum + (pattern.test(name) ? size : 0), 0);
    // The charts come after the screen can be used, and have a budget of their own.
    const chart = bytesOf(/\/chart-.*\.js$/);
    expect(chart).toBeLessThan(25 * 1024);
    expect(bytesOf(/\.js$/)).toBeGreaterThan(50 * 1024);
    expect(bytesOf(/\.js$/) - chart).toBeLessThan(220 * 1024);
    expect(bytesOf(/\.css$/)).toBeLessThan(12 * 1024);
    const calls = await apiCallsOf(page);
    expect({ calls, count: calls.length <= 12 }).toEqual({ calls, count: true });

    await page.keyboard.press('/');
    await page.keyboard.type('help');
    await page.waitForURL('**/console/?q=help');
    await page.getByText('1 bot', { exact: true }).waitFor();
    // Between the field and the first row are the columns to sort by.
    await waitFor(async () => {
      await page.keyboard.press('Tab');
      return (await page.evaluate('document.activeElement.textContent')) === 'Help desk';
    });
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
  'the page of a bot says that a backend gets nothing while forwarding is off, and leads to the switch',
  async () => {
    const settings = { proxy_enabled: false, backend_url: `${backend.url}/unused` };
    const bot = await suite.fleet.addBot(settings, { name: 'Unheard' });
    const { page, complaints } = await openAsAdmin(`bots/${bot.id}`);
    const hint = page.getByText('Forwarding is off');
    await hint.waitFor();
    await page.getByRole('link', { name: 'Turn it on in the settings' }).click();
    await page.getByLabel('Forward updates to the backend').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await hint.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    // Other tests count the bots.
    await suite.fleet.rest('/api/bots/delete', { id: bot.id });
  },
  TEST_MS,
);

test(
  'the first answers are asked for before the page has run, and once each',
  async () => {
    const { page } = await openAsAdmin();
    const first = page.getByRole('table', { name: 'Bots' }).getByRole('link').first();
    await first.waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.route(/\/assets\/page-.*\.js$/, async (route) => {
      await waitFor(() => asked.includes('/api/bots'));
      await route.continue();
    });
    await page.reload();
    await first.waitFor();
    const early = ['/api/auth/me', '/api/fleet', '/api/bots'];
    expect(asked.filter((path) => early.includes(path)).slice(0, 3)).toEqual(early);
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    expect(asked.filter((path) => path === '/api/auth/me' || path === '/api/fleet')).toHaveLength(2);
  },
  TEST_MS,
);

test(
  'keys that are typed right after Ctrl K are kept while the rest of the page is still on its way',
  async () => {
    const { page } = await openAsAdmin();
    await page.route(/\/assets\/menus-/, () => {});
    await page.reload();
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('shop');
    await page.getByRole('option', { name: 'Shop EU' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Go to' }).inputValue()).toBe('shop');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  },
  TEST_MS,
);

test(
  'shortcuts work with a Russian layout, and with brackets that a layout has behind AltGr',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${desk.id}`);
    await page.getByRole('heading', { name: 'Help desk' }).waitFor();
    await pressForeign(page, 'л', 'KeyK', { ctrlKey: true });
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const tabs = page.getByRole('navigation', { name: 'Views of this bot' });
    const isOn = (tab: string) => tabs.locator('[aria-current]', { hasText: tab }).waitFor();
    await pressForeign(page, 'ъ', 'BracketRight');
    await isOn('Chats');
    await pressForeign(page, 'х', 'BracketLeft');
    await isOn('Overview');
    // With AltGr a letter is another letter, and with Alt it may be a shortcut of the browser.
    await pressForeign(page, 'ę', 'KeyE', { modifierAltGraph: true });
    await pressForeign(page, 'g', 'KeyG', { altKey: true });
    await pressForeign(page, 'd', 'KeyD');
    const altGr = { ctrlKey: true, altKey: true, modifierAltGraph: true };
    await pressForeign(page, ']', 'Digit9', altGr);
    await isOn('Chats');
    await page.evaluate(`for (const [key, code] of [['п', 'KeyG'], ['а', 'KeyF']]) {
      document.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }));
    }`);
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a dialog closes by Escape and by a press beside it, not by one that begins in it, and gives the focus back',
  async () => {
    const { page } = await openAsAdmin();
    const opener = page.getByRole('button', { name: /Ctrl K/ });
    const box = page.getByRole('dialog');
    const isBack = () => page.evaluate<boolean>('document.activeElement.matches(".palette-button")');
    await opener.focus();
    for (const leave of [() => page.keyboard.press('Escape'), () => page.mouse.click(5, 700)]) {
      await page.keyboard.press('Enter');
      await box.waitFor();
      await leave();
      await box.waitFor({ state: 'detached' });
      expect(await isBack()).toBe(true);
    }
    await page.keyboard.press('Enter');
    await box.getByRole('combobox').hover();
    await page.mouse.down();
    await page.mouse.move(5, 700);
    await page.mouse.up();
    await page.keyboard.type('kept open');
    expect(await box.getByRole('combobox').inputValue()).toBe('kept open');
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
    const lastRow = table.locator(`[aria-rowindex="${MANY + 1}"] a`);
    // What is above the list may still grow, and moves its end down again.
    await waitFor(async () => {
      await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
      return lastRow.isVisible();
    });
    expect(await table.getByRole('row').count()).toBeLessThan(60);

    await page.evaluate('window.scrollTo(0, 0)');
    await page.getByLabel('Filter', { exact: true }).fill('many_12');
    await page.waitForURL('**/console/?state=disabled&q=many_12');
    await page.getByText('11 bots', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('11 bots', { exact: true }).waitFor();
    await page.getByLabel('Filter', { exact: true }).fill('nobody has this name');
    await page.getByText('No bots match the filter.').waitFor();
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
    const readers = page.getByRole('region', { name: 'Readers' });
    await readers.getByText('1 update behind').waitFor();
    const sent = backend.requests.length;
    await readers.getByRole('button', { name: 'Try now' }).click();
    await backend.waitForRequests(sent + 1);
    const attempts = page.getByRole('region', { name: 'Recent attempts' });
    await attempts.getByRole('link', { name: '502' }).first().click();
    const details = page.getByRole('complementary', { name: /Attempt for update/ });
    await details.getByText('Wrong response from the webhook: 502').waitFor();
    await picture(page, 'bot-attempt');
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    await page.keyboard.press(']');
    await page.waitForURL(`**/console/bots/${shop.id}/*`);
    await page.getByRole('navigation', { name: 'Views of this bot' }).getByRole('link', { name: 'Settings' }).click();
    await waitFor(async () => (await page.getByLabel('Backend URL').inputValue()) === `${backend.url}/shop`);
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
    await page.goto(`${suite.fleet.url}/console/bots/${shop.id}`);
    await page.getByText('There is no such bot, or it is not among yours.').waitFor();
    await page.goto(`${suite.fleet.url}/console/?q=bot`);
    await page.getByText('1 bot', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Queues' }).count()).toBe(0);
    expect(await page.content()).not.toContain('Shop EU');
    expect(complaints.filter((line) => !line.includes('/api/bots/show'))).toEqual([]);
    await page.getByRole('button', { name: 'Account of Grace' }).click();
    await page.route('**/api/auth/logout', (route) => route.abort());
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByText('Flotilla cannot be reached.').waitFor();
    await page.unroute('**/api/auth/logout');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  },
  TEST_MS,
);

testLooks('every screen is accessible and fits the window', suite, async ({ page, signIn }, lookAt) => {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await lookAt('sign-in');
  await signIn(...ADMIN);
  await page.getByRole('region', { name: 'Needs attention' }).waitFor();
  await page.getByRole('table', { name: 'Bots' }).getByRole('link').first().waitFor();
  await lookAt('fleet');
  await page.getByRole('button', { name: 'Appearance and language' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor();
  await lookAt('preferences');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('option').first().waitFor();
  await lookAt('palette');
  await page.keyboard.press('Escape');
  await page.goto(`${suite.fleet.url}/console/bots/${shop.id}`);
  await page.getByRole('heading', { name: 'Shop EU' }).waitFor();
  await page.getByRole('link', { name: '502' }).first().waitFor();
  await lookAt('bot');
  await page.goto(`${suite.fleet.url}/console/bots/${shop.id}/settings`);
  await page.getByLabel('Backend URL').waitFor();
  await lookAt('bot-settings');
  await page.goto(`${suite.fleet.url}/console/nothing/here`);
  await page.getByText('Page not found').waitFor();
  expect(await page.title()).toContain('Flotilla');
  await lookAt('not-found');
});

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
    await picture(page, 'fleet-dark-russian');
    await page.evaluate("document.documentElement.dir = 'rtl'");
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1280);
    await picture(page, 'fleet-dark-russian-right-to-left');
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
  'whoever signs out leaves nothing in any tab, also where the session had ended before',
  async () => {
    const { page, context, signIn, complaints } = await openAsAdmin();
    const second = await context.newPage();
    await second.goto(`${suite.fleet.url}/console/bots/${desk.id}/settings`);
    await second.getByLabel('Description', { exact: true }).fill('Typed in the second tab');
    await second.evaluate(
      `localStorage.setItem('flotilla-drafts', '{"1":{"1:2":{"text":"A draft of the admin","atMs":1}}}')`,
    );
    const signOut = async () => {
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    };
    await signOut();
    await second.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    expect(await second.getByRole('dialog').count()).toBe(0);
    const left = await keptBy(second);
    for (const text of ['Help desk', 'Typed in the second tab', 'A draft of the admin'])
      expect(left).not.toContain(text);

    await signIn(...ADMIN);
    await second.getByLabel('Description', { exact: true }).fill('Typed again');
    const cookies = await context.cookies();
    await context.clearCookies();
    await second.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await context.addCookies(cookies);
    await page.reload();
    await signOut();
    await second.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    expect(await keptBy(second)).not.toContain('Typed again');
    expect(complaints.filter((line) => !line.includes('401'))).toEqual([]);
  },
  TEST_MS,
);

test(
  'when another account signs in by a tab, the other tabs show nothing of what the first one had loaded',
  async () => {
    const { page, context, signIn } = await openAsAdmin();
    const second = await context.newPage();
    await second.goto(`${suite.fleet.url}/console/?q=shop`);
    await second.getByRole('table', { name: 'Bots' }).getByRole('link', { name: 'Shop EU' }).waitFor();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await second.route('**/api/bots?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(...HEIDI);
    await second.getByRole('button', { name: 'Account of Heidi' }).waitFor();
    expect(await second.content()).not.toContain('Shop EU');
    letGo();
    await second.getByText('No bots match the filter.').waitFor();
    expect(await second.content()).not.toContain('Shop EU');
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
    let loads = 0;
    page.on('load', () => (loads += 1));
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Fleet' }).click();
    const failure = page.getByRole('alert').filter({ hasText: 'Something went wrong' });
    await failure.waitFor();
    await waitFor(() => loads === 1);
    await page.unroute(gone);
    await failure.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    await waitFor(() => loads === 2);
  },
  TEST_MS,
);

test(
  'a wrong password is refused in words, and too many of them with the time to wait',
  async () => {
    const { page, signIn, complaints } = await open();
    await signIn('admin', 'not the password');
    await page.getByText('Wrong username or password.').waitFor();
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
