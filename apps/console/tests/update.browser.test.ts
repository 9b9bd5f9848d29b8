import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { Page } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';

type Attempt = { id: string; update_id: number; reader: string; ok: boolean };

const suite = consoleSuite({ apis: 1, workers: 1 });
const { openAsAdmin } = suite;
let backend: TestBackend;
let bot: FleetBot;
/** The update that everything happens to. */
let updateId: number;
let attempts: Attempt[];
let letterUpdate: number;

beforeAll(async () => {
  const { fleet } = suite;
  const person = await fleet.control.createPerson({ firstName: 'Ada' });
  backend = await startBackend((request, response) => {
    if (request.url === '/ill') return void response.writeHead(503).end('away');
    if (request.url === '/plain') return void response.writeHead(200).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ method: 'sendMessage', chat_id: person.id, text: 'Your order is on its way' }));
  });
  bot = await fleet.addBot({ name: 'Shop', proxy_enabled: true, backend_url: `${backend.url}/well` });
  const add = (fields: object) => fleet.rest('/api/programs/add', { bot_id: bot.id, ...fields });
  await add({ name: 'ill', backend_url: `${backend.url}/ill` });
  for (const name of ['plain', HOSTILE.word]) await add({ name, backend_url: `${backend.url}/plain` });
  await add({ name: 'polls', kinds: ['poll'] });
  const rule = { source_bot_id: bot.id, target_bot_id: bot.id, condition_type: 'all', condition_value: '' };
  await fleet.rest('/api/routes/add', { ...rule, action: 'copy', target_chat_id: 999_999_999 });
  await fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text: 'Where is my order?' });
  attempts = (await waitFor(
    async () => {
      const found = await fleet.rest<Attempt[]>(`/api/deliveries/attempts?bot_id=${bot.id}`);
      return (
        ['push', 'rules'].every((name) => found.some(({ reader }) => reader === name)) &&
        found.filter(({ ok }) => ok).length >= 3 &&
        found
      );
    },
    { timeoutMs: 60_000 },
  )) as Attempt[];
  updateId = attempts[0]!.update_id;
  const letters = (await waitFor(
    async () => {
      const found = await fleet.rest<{ update_id: number }[]>(`/api/deliveries?bot_id=${bot.id}&state=dead`);
      return found.length > 0 && found;
    },
    { timeoutMs: 60_000 },
  )) as { update_id: number }[];
  letterUpdate = letters[0]!.update_id;
}, TEST_MS);
afterAll(() => backend?.stop());

const details = (page: Page) => page.getByRole('complementary', { name: /Attempt for update/ });
const path = (page: Page) => page.url().slice(page.url().indexOf('/console/') + '/console/'.length);

test(
  'an attempt has an address, that of its update shows what became of it, and back works',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${bot.id}`);
    const list = page.getByRole('region', { name: 'Recent attempts' });
    await list.getByRole('link', { name: '503' }).first().click();
    await details(page).waitFor();
    await page.waitForURL('**/bots/*?attempt=*');
    await page.reload();
    await details(page).waitFor();
    await page.goBack();
    await details(page).waitFor({ state: 'detached' });
    await page.goForward();
    await details(page).getByRole('link', { name: 'Trace this update' }).click();
    await page.waitForURL(`**/bots/${bot.id}/updates/${updateId}`);
    const waterfall = page.getByRole('region', { name: 'Delivery' });
    const row = (name: string) => waterfall.getByRole('listitem').filter({ hasText: name }).first();
    expect(await row('Backend').textContent()).toContain('Delivered');
    expect(await row('Program: ill').textContent()).toContain('Queued');
    expect(await row('Program: polls').textContent()).toContain('did not ask for this kind');
    expect(await row('Routing rules').textContent()).toContain('Failed');
    const answer = waterfall.getByRole('link', { name: 'Your order is on its way' });
    await answer.waitFor();
    await row('Program: ill')
      .getByRole('link', { name: /Attempt 1/ })
      .click();
    await details(page).waitFor();
    expect(path(page)).toMatch(new RegExp(`^bots/${bot.id}/updates/${updateId}\\?attempt=\\d+-${updateId}-\\d+-1$`));
    await page.keyboard.press('Escape');
    await details(page).waitFor({ state: 'detached' });
    await answer.click();
    await page.waitForURL('**/inbox/*/*?around=*');
    await page.goBack();
    await waterfall.waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a delivery has an address, too; an update that nobody knows says so',
  async () => {
    const { page } = await openAsAdmin(`bots/${bot.id}/deliveries`);
    await page.getByRole('button', { name: String(letterUpdate) }).click();
    const panel = page.getByRole('complementary');
    await panel.waitFor();
    const address = path(page);
    expect(address).toBe(`bots/${bot.id}/deliveries?open=${bot.id}.rules.${letterUpdate}`);
    await page.goBack();
    await panel.waitFor({ state: 'detached' });
    const colleague = await openAsAdmin(address);
    await colleague.page.getByRole('complementary').getByRole('link', { name: 'Trace this update' }).click();
    await colleague.page.getByRole('region', { name: 'Delivery' }).waitFor();
    await page.goto(`${suite.fleet.url}/console/bots/${bot.id}/updates/1`);
    await page.getByText('This update is no longer known').waitFor();
  },
  TEST_MS,
);

test(
  'readers and the list of bots say how their attempts went, and what was delivered in a day',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${bot.id}`);
    const readers = page.getByRole('region', { name: 'Readers' });
    const reader = (name: string) => readers.getByRole('listitem').filter({ hasText: name });
    await reader('Backend').getByText('100%').waitFor();
    await reader('Backend').locator('.spark').waitFor();
    await reader('Program: ill').getByText('0%').waitFor();
    await page.goto(`${suite.fleet.url}/console/`);
    const row = page.getByRole('table', { name: 'Bots' }).getByRole('row').filter({ hasText: 'Shop' });
    await row.locator('.quality').getByText('%').first().waitFor();
    await row.locator('.day-cell .spark').waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('update', suite, async (one, lookAt) => {
  await one.signIn(...ADMIN);
  await one.page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await one.page.goto(`${suite.fleet.url}/console/bots/${bot.id}/updates/${updateId}`);
  await one.page.getByText('Your order is on its way').waitFor();
  const ended = one.page.locator('.waterfall .row-name', { has: one.page.getByRole('button', { name: 'Replay' }) });
  const middles = (selector: string) =>
    ended.locator(selector).evaluateAll((all) =>
      all.map((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return Math.round((top + bottom) / 2);
      }),
    );
  expect(await middles('.button')).toEqual(await middles('.state'));
  expect(await ended.count()).toBe(3);
  await lookAt('update');
  await one.page.goto(`${suite.fleet.url}/console/bots/${bot.id}`);
  await one.page.getByText('100%').first().waitFor();
  await one.page.getByRole('img', { name: /^Activity\./ }).waitFor();
  await lookAt('update-readers');
  await one.page.goto(`${suite.fleet.url}/console/`);
  await one.page.getByRole('table', { name: 'Bots' }).getByText('Shop').waitFor();
  await lookAt('update-bots');
});
