import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS } from './console-suite.ts';
import { picture } from './open-console.ts';

const PATIENCE = { timeout: 60_000 };
const PERSON = 4344;

let backend: TestBackend;
let isDown = true;
let shop: FleetBot;

beforeAll(async () => {
  backend = await startBackend(
    ({ url }, response) => void response.writeHead(isDown ? (url === '/wrong' ? 404 : 502) : 200).end(),
  );
});

const suite = consoleSuite({ apis: 1, workers: 1 });
const { openAsAdmin } = suite;

beforeAll(async () => {
  const { fleet } = suite;
  const pushed = (path: string) => ({ proxy_enabled: true, backend_url: `${backend.url}${path}` });
  shop = await fleet.addBot(pushed('/shop'), { name: 'Shop EU' });
  const others = [await fleet.addBot(pushed('/shop'), { name: 'Shop US' }), await fleet.addBot({}, { name: 'Desk' })];
  await fleet.control.createPerson({ id: PERSON, firstName: 'Olga' } as never);
  for (const { platformId } of [shop, ...others]) await fleet.control.startBot({ person: PERSON, bot: platformId });
  await fleet.control.sendMessage({ person: PERSON, bot: shop.platformId, text: 'where is my order' });
}, TEST_MS);

afterAll(() => backend?.stop());

test(
  'what retries is tried from its row, which tells how it failed again and how it was delivered, and is replayed',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${shop.id}/deliveries`);
    // Nothing was given up, so what is retried is shown.
    await page.waitForURL('**/deliveries?state=retrying', PATIENCE);
    const row = page.getByRole('row').filter({ hasText: '/start' });
    await row.waitFor(PATIENCE);
    await row.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Try 1 now' }).click();
    await row.getByText('Failed again: 502').waitFor(PATIENCE);
    await picture(page, 'deliveries-tried');
    isDown = false;
    await row.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Try 1 now' }).click();
    await page.getByText('Delivered: 1').waitFor(PATIENCE);
    const sent = await waitFor(() => backend.requests.findLast(({ text }) => text.includes('where is my order')), {
      timeoutMs: 60_000,
    });
    const id = JSON.parse(sent!.text).update_id as number;
    await page.goto(`${suite.fleet.url}/console/bots/${shop.id}/updates/${id}`);
    await page.getByRole('button', { name: 'Replay' }).click(PATIENCE);
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('complementary', { name: /Attempt for update/ }).waitFor(PATIENCE);
    expect(backend.requests.filter(({ headers }) => headers['flotilla-replay'] === '1')).toHaveLength(1);
    await picture(page, 'update-replayed');
    // The second try came within the second that the reader asks for, and was made after it.
    expect(complaints.filter((line) => !line.includes('/api/deliveries/try-now'))).toEqual([]);
  },
  TEST_MS,
);

test(
  'the fleet is one incident for one cause, with what helps, in few requests; a wrong webhook is told when it is saved',
  async () => {
    isDown = true;
    for (const at of [1, 2])
      await suite.fleet.control.sendMessage({ person: PERSON, bot: shop.platformId, text: `${at}` });
    const looks = [
      { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
      { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
    ] as const;
    for (const look of looks) {
      const { page, answers } = await openAsAdmin('?range=hour', look);
      const attention = page.getByRole('region', { name: 'Needs attention' });
      await attention
        .getByRole('listitem')
        .filter({ hasText: 'Shop EU' })
        .getByRole('button', { name: 'Try now' })
        .waitFor(PATIENCE);
      // People answer in it, so nothing is wrong with it.
      expect(await attention.getByText('Desk').count()).toBe(0);
      await page.getByRole('img', { name: /^Activity\./ }).waitFor(PATIENCE);
      expect(await page.getByRole('row').nth(1).textContent()).toContain('Shop');
      const paths = answers.map(({ url }) => new URL(url).pathname);
      const asked = new Set(paths.filter((path) => path.startsWith('/api/') && path !== '/api/auth/login'));
      expect({ asked: [...asked], count: asked.size <= 12 }).toMatchObject({ count: true });
      await picture(page, `incidents-${look.colorScheme}`);
    }
    const { page } = await openAsAdmin(`bots/${shop.id}/settings`);
    await page.getByLabel('Backend URL').fill(`${backend.url}/wrong`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('there is nothing at this path').waitFor(PATIENCE);
    await picture(page, 'wrong-webhook');
  },
  TEST_MS,
);
