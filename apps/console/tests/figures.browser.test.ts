import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { Page } from '@flotilla/testing/browser.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS, testLooks } from './console-suite.ts';

const suite = consoleSuite({ apis: 1, workers: 1 });
const { openAsAdmin } = suite;
const NAMES = { in: 'Received', delivered: 'Delivered', retried: 'Retried', failed: 'Failed' } as const;
type Name = keyof typeof NAMES;
type Counts = Record<Name, number>;

let backend: TestBackend;
let botId: number;
let platformId: number;

beforeAll(async () => {
  backend = await startBackend((request, response) => {
    response.writeHead(request.url === '/well' ? 200 : 500).end();
  });
  const { fleet } = suite;
  const bot = await fleet.addBot({ name: 'Two backends', proxy_enabled: true, backend_url: `${backend.url}/well` });
  [botId, platformId] = [bot.id, bot.platformId];
  await fleet.rest('/api/programs/add', { bot_id: bot.id, name: 'ill', backend_url: `${backend.url}/ill` });
  const person = await fleet.control.createPerson({});
  const rule = { source_bot_id: bot.id, target_bot_id: bot.id, condition_type: 'all', condition_value: '' };
  await fleet.rest('/api/routes/add', { ...rule, action: 'copy', target_chat_id: 999_999_999 });
  for (let at = 0; at < 3; at += 1) {
    await fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text: `message ${at}` });
  }
}, TEST_MS);
afterAll(() => backend?.stop());

async function tiles(page: Page, region: string): Promise<Counts> {
  const found = await Promise.all(
    Object.entries(NAMES).map(async ([key, name]) => {
      const tile = page
        .getByRole('region', { name: region })
        .locator('dl > div', { has: page.getByText(name, { exact: true }) });
      return [key, Number((await tile.locator('dd').textContent())?.replaceAll(/\D/g, ''))] as const;
    }),
  );
  return Object.fromEntries(found) as Counts;
}

async function chart(page: Page): Promise<Counts> {
  const label = await page.getByRole('img', { name: /^Activity\./ }).getAttribute('aria-label');
  return Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [key, Number(new RegExp(`${name}: (\\d+)`).exec(label ?? '')?.[1])]),
  ) as Counts;
}

async function rest(query = ''): Promise<Counts> {
  const points = await suite.fleet.rest<Counts[]>(`/api/activity?step=minute${query}`);
  const sum = (key: Name) => points.reduce((all, point) => all + point[key], 0);
  return { in: sum('in'), delivered: sum('delivered'), retried: sum('retried'), failed: sum('failed') };
}

test(
  'with a program that is down and rules that fail, tiles, chart and REST have the same figures, and tiles move by themselves',
  async () => {
    // Of each message: the backend has it, the program tries again, and the rules have given it up.
    await waitFor(async () => (await rest(`&bot_id=${botId}`)).failed === 3, { timeoutMs: 60_000 });
    await waitFor(async () => (await rest(`&bot_id=${botId}`)).retried >= 3, { timeoutMs: 60_000 });
    const { page, complaints } = await openAsAdmin(`bots/${botId}`);
    await page.getByRole('img', { name: /^Activity\./ }).waitFor();
    const agree = async (region: string, query: string) =>
      waitFor(
        async () => {
          const [shown, drawn, known] = [await tiles(page, region), await chart(page), await rest(query)];
          const texts = [shown, drawn, known].map((one) => JSON.stringify(one));
          return new Set(texts).size === 1 && shown;
        },
        { timeoutMs: 40_000, message: 'the same figures everywhere' },
      ) as Promise<Counts>;
    expect(await agree('Figures of the bot', `&bot_id=${botId}`)).toMatchObject({ in: 3, delivered: 3, failed: 3 });
    const person = await suite.fleet.control.createPerson({});
    const before = (await tiles(page, 'Figures of the bot')).in;
    await suite.fleet.control.sendMessage({ person: person.id, bot: platformId, text: 'one more' });
    await waitFor(async () => (await tiles(page, 'Figures of the bot')).in === before + 1, { timeoutMs: 20_000 });
    await page.goto(`${suite.fleet.url}/console/?range=hour`);
    await page.getByRole('img', { name: /^Activity\./ }).waitFor();
    await agree('Figures of the fleet', '');
    const figures = page.getByRole('region', { name: 'Figures of the fleet' });
    await figures
      .locator('div', { has: page.getByText('In the last hour') })
      .getByText('Received')
      .waitFor();
    const dead = figures.locator('.now', { hasText: 'Now' }).locator('dl > div', { hasText: 'Failed deliveries' });
    await dead.getByRole('link').click();
    await page.waitForURL('**/console/deliveries');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the minute that is not over is said to be so',
  async () => {
    const { page } = await openAsAdmin(`bots/${botId}`);
    const drawn = page.getByRole('img', { name: /^Activity\./ });
    await drawn.waitFor();
    await drawn.press('ArrowLeft');
    await page.getByText('so far').waitFor();
    await drawn.press('ArrowLeft');
    await page.getByText('so far').waitFor({ state: 'detached' });
  },
  TEST_MS,
);

testLooks('figures', suite, async (one, lookAt) => {
  await one.signIn('admin', 'a password for tests');
  await one.page.getByText('Activity', { exact: true }).click();
  await one.page.getByRole('img', { name: /^Activity\./ }).waitFor();
  await lookAt('figures-fleet');
  await one.page.goto(`${suite.fleet.url}/console/bots/${botId}`);
  await one.page.getByRole('img', { name: /^Activity\./ }).waitFor();
  await lookAt('figures-bot');
  await one.page.goto(`${suite.fleet.url}/console/bots/${botId}/statistics`);
  await one.page.getByRole('img', { name: /^Updates by day\./ }).waitFor();
  await lookAt('figures-statistics');
});
