import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';

type Row = { id: string; update_id: number };

/** More than a page of attempts has. */
const MANY = 105;
const PROGRAM = `Relay ${HOSTILE.word}`.slice(0, 64);

const suite = consoleSuite({ apis: 1, workers: 1 });
let backend: TestBackend;
let bot: FleetBot;
let program: number;
let ada: number;
let ben: number;

const found = (query: string) =>
  suite.fleet.rest<Row[]>(`/api/deliveries/attempts?bot_id=${bot.id}&limit=500&${query}`);

beforeAll(async () => {
  const { fleet } = suite;
  backend = await startBackend(({ url, text }, response) => {
    response.writeHead(url === '/program' ? 503 : text.includes('refuse me') ? 404 : 200).end();
  });
  bot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/own` }, { name: 'Many tries' });
  program = (
    await fleet.rest<{ id: number }>('/api/programs/add', {
      ...{ bot_id: bot.id, name: PROGRAM, mode: 'push', backend_url: `${backend.url}/program` },
    })
  ).id;
  ada = (await fleet.control.createPerson({ firstName: 'Ada' })).id;
  ben = (await fleet.control.createPerson({ firstName: 'Ben' })).id;
  const write = (person: number, text: string) => fleet.control.sendMessage({ person, bot: bot.platformId, text });
  for (let at = 0; at < MANY; at += 1) await write(ada, `message ${at}`);
  await write(ben, 'fine');
  await write(ben, 'refuse me');
  const isDone = async (query: string, count: number) => (await found(query)).length >= count;
  await waitFor(() => isDone('reader=push&ok=true', MANY + 1), { timeoutMs: TEST_MS });
  await waitFor(() => isDone('reader=push&status=404', 1), { timeoutMs: TEST_MS });
  await waitFor(() => isDone(`program_id=${program}`, 1), { timeoutMs: TEST_MS });
}, 2 * TEST_MS);
afterAll(() => backend?.stop());

test(
  'attempts are filtered in the address by reader, result, status, chat, update and time, and lead to the update',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`bots/${bot.id}`);
    await page.getByRole('link', { name: 'All attempts' }).press('Enter');
    await page.waitForURL(`**/bots/${bot.id}/deliveries?state=attempts`);
    const list = page.getByRole('region', { name: 'Recent attempts' });
    const filters = page.getByRole('search', { name: 'Filter' });
    const answers = list.locator('.answer');
    const shows = (answer: string) =>
      waitFor(
        async () => {
          const texts = await answers.allTextContents();
          return texts.length > 0 && texts.every((text) => text === answer);
        },
        { message: answer },
      );
    await filters.getByLabel('Reader').selectOption(PROGRAM);
    await page.waitForURL(`**/deliveries?state=attempts&program=${program}`);
    await shows('503');
    await filters.getByLabel('Reader').selectOption('Backend');
    await filters.getByLabel('Result').selectOption('Failed');
    await shows('404');
    await filters.getByLabel('Result').selectOption('Delivered');
    await shows('200');
    await filters.getByRole('combobox', { name: 'Chat' }).fill('ben');
    await filters.getByRole('option', { name: 'Ben' }).click();
    await waitFor(async () => (await answers.count()) === 1, { message: 'the attempt of this chat' });
    const { update_id: ofBen } = (await found(`reader=push&ok=true&chat_id=${ben}`))[0]!;
    const tab = page
      .getByRole('navigation', { name: 'Deliveries by state' })
      .getByRole('link', { name: 'Recent attempts' });
    expect(await tab.getAttribute('aria-current')).toBe('page');
    expect(await tab.locator('..').locator('[aria-current]').count()).toBe(1);
    await filters.getByLabel('Status').selectOption('5xx');
    await page.getByText('No attempts match the filter.').waitFor();
    await page.reload();
    await page.getByText('No attempts match the filter.').waitFor();
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ state: 'attempts', reader: 'push', ok: 'true', status: '5xx', chat: String(ben) },
    });
    await filters.getByRole('button', { name: 'Clear the filter' }).click();
    await page.waitForURL('**/deliveries?state=attempts');

    const update = filters.getByRole('searchbox', { name: 'Update' });
    await update.fill('none');
    await filters.getByText('Digits only').waitFor();
    await update.fill(String(ofBen));
    await page.waitForURL(`**/deliveries?state=attempts&update=${ofBen}`);
    const updates = list.getByRole('link', { name: /^Update / });
    const isOfBen = async () => {
      const names = await updates.allTextContents();
      return names.length > 0 && names.every((name) => name === `Update ${ofBen}`);
    };
    await waitFor(isOfBen, { message: 'the attempts of one update' });
    await filters.getByLabel('Period').selectOption('Yesterday');
    await page.getByText('No attempts match the filter.').waitFor();
    await filters.getByLabel('Period').selectOption('Last hour');
    await waitFor(isOfBen, { message: 'the attempts of one update' });
    await updates.first().press('Enter');
    await page.waitForURL(`**/bots/${bot.id}/updates/${ofBen}`);
    await page.getByRole('heading', { name: `Update ${ofBen}` }).waitFor();
    await page.goBack();
    await updates.first().waitFor();
    expect(await update.inputValue()).toBe(String(ofBen));
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'older attempts follow page by page, and one opens by keyboard without losing the filter',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(
      `bots/${bot.id}/deliveries?state=attempts&chat=${ada}&reader=push`,
    );
    const rows = page.getByRole('region', { name: 'Recent attempts' }).getByRole('listitem');
    await waitFor(async () => (await rows.count()) === 100, { message: 'the first page' });
    await page.getByRole('button', { name: 'Older attempts' }).press('Enter');
    await waitFor(async () => (await rows.count()) === MANY, { message: 'the second page' });
    await page.getByRole('button', { name: 'Older attempts' }).waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: /Attempt for update/ }).waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('chat'), searchParams.get('reader')]).toEqual([String(ada), 'push']);
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('filtered attempts are accessible and fit the window', suite, async ({ page, signIn }, lookAt) => {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  const visit = async (query: string) => {
    await page.goto(`${suite.fleet.url}/console/bots/${bot.id}/deliveries?state=attempts${query}`);
    await page.getByRole('region', { name: 'Recent attempts' }).getByRole('listitem').first().waitFor();
  };
  await visit('');
  await lookAt('attempts');
  await visit(`&program=${program}&ok=false&chat=${ada}`);
  await page.getByText('Clear the filter').waitFor();
  await lookAt('attempts-filtered');
});
