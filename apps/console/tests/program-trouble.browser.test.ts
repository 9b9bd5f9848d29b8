import type { BotResource } from '@flotilla/contract/bots.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';

const PERSON = 4343;
/** A program further behind is parked. */
const LIMIT = 3;

let backend: TestBackend;
let relay: FleetBot;
let failingBot: FleetBot;
let failing: { id: number };
let parked: { id: number };

beforeAll(async () => {
  backend = await startBackend((_request, response) => void response.writeHead(502).end('upstream is away'));
});

const suite = consoleSuite({ apis: 1, workers: 1 }, { PROGRAM_LIMIT_UPDATES: String(LIMIT) });

beforeAll(async () => {
  const { fleet } = suite;
  const add = (bot: FleetBot, fields: object) =>
    fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, ...fields });
  const stateOf = ({ id }: { id: number }) =>
    fleet.rest<{ backend_state: string; parked: boolean }>(`/api/programs/show?id=${id}`);
  relay = await fleet.addBot({}, { name: 'Relay', username: 'relay_bot' });
  parked = await add(relay, { name: 'archive' });
  await fleet.control.createPerson({ id: PERSON, firstName: 'Ada' });
  failingBot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/shop` }, { name: 'Shop EU' });
  await fleet.control.startBot({ person: PERSON, bot: failingBot.platformId });
  for (let sent = 0; sent <= LIMIT; sent += 1) {
    await fleet.control.startBot({ person: PERSON, bot: relay.platformId });
  }
  const long = { timeoutMs: TEST_MS / 2 };
  await waitFor(async () => (await stateOf(parked)).parked, { ...long, message: 'the program is parked' });
  failing = await add(relay, { name: 'alerts', mode: 'push', backend_url: `${backend.url}/alerts` });
  await fleet.control.startBot({ person: PERSON, bot: relay.platformId });
  await waitFor(async () => (await stateOf(failing)).backend_state === 'open', { ...long, message: 'it is open' });
  const botState = async () => (await fleet.rest<BotResource>(`/api/bots/show?id=${failingBot.id}`)).backend_state;
  await waitFor(async () => (await botState()) === 'open', { ...long, message: 'the backend of the bot is open' });
}, 2 * TEST_MS);

afterAll(async () => {
  await backend?.stop();
});

test(
  'the fleet screen says since when a backend fails, tries it at once, and leads to programs in trouble of a bot that works',
  async () => {
    const { page, complaints } = await suite.openAsAdmin();
    const attention = page.getByRole('region', { name: 'Needs attention' });
    const shop = attention.getByRole('listitem').filter({ hasText: 'Shop EU' });
    await shop.getByText('began').locator('time').waitFor();
    const sinceOf = async () => shop.getByText('began').locator('time').getAttribute('datetime');
    const known = () => suite.fleet.rest<BotResource>(`/api/bots/show?id=${failingBot.id}`);
    const { failing_since: since, last_error_at: erredAt } = await known();
    const sent = backend.requests.length;
    await shop.getByRole('button', { name: 'Try now' }).press('Enter');
    await backend.waitForRequests(sent + 1);
    const erredAgain = async () => (await known()).last_error_at !== erredAt;
    await waitFor(erredAgain, { timeoutMs: TEST_MS / 2, message: 'another failed attempt' });
    expect([await sinceOf(), since]).toEqual([since, expect.any(String)]);

    const row = attention.getByRole('listitem').filter({ hasText: 'Relay' }).filter({ hasText: 'Program fails' });
    await row.getByText('The backend of the program "alerts" fails').waitFor();
    await row.getByText('1 queued for the program').waitFor();
    const ofRelay = page.getByRole('table', { name: 'Bots' }).getByRole('row').filter({ hasText: 'Relay' });
    await ofRelay.getByText('Program parked').waitFor();
    const kinds = page.getByRole('navigation', { name: 'Bots by problem' });
    await kinds.getByRole('link', { name: 'Program fails 1' }).click();
    await page.waitForURL('**/console/?attention=program_failing');
    await page.getByText('1 bot', { exact: true }).waitFor();
    await row.getByRole('link', { name: 'Relay' }).press('Enter');
    await page.waitForURL(`**/bots/${relay.id}/programs`);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the overview of a bot says since when a reader fails, when it is tried next, and its error',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`bots/${failingBot.id}`);
    const row = page.getByRole('region', { name: 'Readers' }).getByRole('listitem').filter({ hasText: 'Backend' });
    await row.getByText('Wrong response from the webhook: 502').waitFor();
    await row.getByText('Failing since').locator('time').waitFor();
    await row.getByText('next try').locator('time').waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a program whose backend fails says so since when, with its error, and leads to what waits for it',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`bots/${relay.id}/programs`);
    const row = page.getByRole('row').filter({ hasText: 'alerts' });
    await row.getByText('Program fails').waitFor();
    await row.getByText('1 update behind').waitFor();
    await row.getByRole('link', { name: 'alerts' }).press('Enter');
    const details = page.getByRole('complementary', { name: 'alerts' });
    const factOf = (name: string) => details.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]');
    await factOf('Failing since').locator('time').waitFor();
    await factOf('Next try').locator('time').waitFor();
    await details.getByText('Wrong response from the webhook: 502').waitFor();
    await details.getByText('If its URL is wrong, edit it.').waitFor();
    const sent = backend.requests.length;
    await details.getByRole('button', { name: 'Try now' }).press('Enter');
    await backend.waitForRequests(sent + 1);
    await details.getByRole('link', { name: 'See what is queued for it' }).press('Enter');
    await page.waitForURL(`**/bots/${relay.id}/deliveries?reader=program&program=${failing.id}&state=retrying`);
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('button').first().waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a parked program says why, and leads to what was given up for it alone',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`bots/${relay.id}/programs?open=${parked.id}`);
    const details = page.getByRole('complementary', { name: 'archive' });
    await details.getByText('It fell too far behind').waitFor();
    await details.getByText('Program parked', { exact: true }).first().waitFor();
    await details.getByRole('link', { name: 'See and redeliver failed updates' }).press('Enter');
    await page.waitForURL(`**/bots/${relay.id}/deliveries?reader=program&program=${parked.id}&reason=too_far_behind`);
    await page.getByText(`${LIMIT + 1} match`).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('programs in trouble are accessible and fit the window', suite, async ({ page, signIn }, lookAt) => {
  const visit = (search: string) => page.goto(`${suite.fleet.url}/console/bots/${relay.id}/programs${search}`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByText('The backend of the program "alerts" fails').waitFor();
  await lookAt('fleet-trouble');
  await page.goto(`${suite.fleet.url}/console/bots/${failingBot.id}`);
  await page.getByRole('region', { name: 'Readers' }).getByText('Failing since').waitFor();
  await lookAt('bot-reader-failing');
  await visit('');
  await page.getByRole('row').filter({ hasText: 'alerts' }).getByText('Program fails').waitFor();
  await page.getByRole('row').filter({ hasText: 'archive' }).getByText('Parked').waitFor();
  await lookAt('programs-trouble');
  await visit(`?open=${failing.id}`);
  await page.getByText('Next try').waitFor();
  await page.getByText('Nothing refused').waitFor();
  await lookAt('program-failing');
  await visit(`?open=${parked.id}`);
  await page.getByText('It fell too far behind').waitFor();
  await page.getByText('Nothing refused').waitFor();
  await lookAt('program-parked');
});

test(
  'a bot whose updates go to another service says to which, and takes them back; a revoked token is replaced where it is said',
  async () => {
    const { fleet } = suite;
    const bot = await fleet.addBot({ long_poll_enabled: true }, { name: 'Taken' });
    await fetch(`${fleet.simulator.url}/bot${bot.token}/setWebhook?url=http://127.0.0.1:1/n8n`);
    const kinds = async () => (await fleet.rest<BotResource>(`/api/bots/show?id=${bot.id}`)).attention;
    const begins = async (kind: string) => (await kinds()).some((one) => one.kind === kind);
    await waitFor(() => begins('foreign_webhook'), { timeoutMs: TEST_MS / 2, message: 'the foreign webhook' });
    const { page, complaints } = await suite.openAsAdmin();
    const line = page
      .getByRole('region', { name: 'Needs attention' })
      .getByRole('listitem')
      .filter({ hasText: 'Taken' });
    await line.getByText('127.0.0.1:1 gets the updates of this bot').waitFor();
    await line.getByRole('link', { name: 'Taken' }).click();
    await page.getByText('127.0.0.1:1', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Take updates back' }).click();
    await page.getByRole('button', { name: 'Take updates back' }).waitFor({ state: 'detached', timeout: TEST_MS / 2 });

    const { token } = await fleet.control.revokeToken({ bot: bot.platformId });
    await waitFor(() => begins('token_revoked'), { timeoutMs: TEST_MS / 2, message: 'the revoked token' });
    await page.getByRole('button', { name: 'Replace token' }).click();
    await page.getByLabel('New token').fill(token);
    await page.getByRole('dialog').getByRole('button', { name: 'Replace token' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Replace token' }).waitFor({ state: 'detached', timeout: TEST_MS / 2 });
    expect(complaints).toEqual([]);
  },
  2 * TEST_MS,
);
