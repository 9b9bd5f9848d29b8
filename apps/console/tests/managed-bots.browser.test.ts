import type { BotResource } from '@flotilla/contract/bots.ts';
import { type RunningSimulator, startSimulator } from '@flotilla/simulator/start.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';
import { stopPolling, wouldPoll } from './open-console.ts';

const OWNER = 4242;
const ADOPTED = /^\d+ adopted bots?$/;

/** Another server, which does not know the bots: a move to it waits there. */
let elsewhere: RunningSimulator;
let parent: FleetBot;
let adopted: BotResource;
let moving: FleetBot;
const settings: Record<string, string> = {};

beforeAll(async () => {
  elsewhere = await startSimulator();
  settings.TELEGRAM_UPSTREAMS = `local=${elsewhere.url}`;
}, TEST_MS);
const suite = consoleSuite({ apis: 1, workers: 1 }, settings);
beforeAll(async () => {
  const { fleet } = suite;
  await fleet.control.createPerson({ id: OWNER, firstName: HOSTILE.cyrillic });
  const adopts = { adopts: true, template: { long_poll_enabled: true } };
  parent = await fleet.addBot(adopts, { manages: true, name: HOSTILE.arabic });
  await fleet.control.createManagedBot({ person: OWNER, bot: parent.platformId, name: HOSTILE.word });
  adopted = (await waitFor(
    async () => (await fleet.rest<BotResource[]>('/api/bots')).find(({ parent_bot_id: of }) => of === parent.id),
    { timeoutMs: TEST_MS, message: 'the bot being adopted' },
  ))!;
  moving = await fleet.addBot({ long_poll_enabled: true }, { name: HOSTILE.chinese });
  await fleet.rest('/api/bots/move', { id: moving.id, upstream: 'local' });
  const isWaiting = async () => (await fleet.rest<BotResource>(`/api/bots/show?id=${moving.id}`)).moving?.reason;
  await waitFor(async () => (await isWaiting())?.includes('refuses'), { timeoutMs: TEST_MS, message: 'the reason' });
}, 2 * TEST_MS);
afterAll(() => elsewhere?.stop());

test(
  'the dialog shows the bot that a person makes by its link, and the first update, as the stream brings them',
  async () => {
    const { page, complaints } = await suite.openAsAdmin();
    await stopPolling(page);
    await page.goto(`${suite.fleet.url}/console/bots/${parent.id}/settings`);
    await page.getByRole('button', { name: 'Show the link…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('img', { name: 'The link as a QR code' }).waitFor();
    await dialog.getByText('Waiting for the new bot…').waitFor();
    const link = (await dialog.getByText(/^https:\/\/t\.me\/newbot\//).textContent())!;
    await dialog.getByRole('button', { name: 'Copy' }).focus();
    const made = await suite.fleet.control.createManagedBot({ person: OWNER, link });
    await dialog.getByText('The bot is here.').waitFor();
    await dialog.locator('a:focus', { hasText: 'Open the bot' }).waitFor();
    await suite.fleet.control.startBot({ person: OWNER, bot: made.id, quietly: true });
    await suite.fleet.control.sendMessage({ person: OWNER, bot: made.id, text: 'the first words' });
    await dialog.getByText('the first words').waitFor();
    expect(await wouldPoll(page)).toBe(true);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the settings of a parent list the bots that it adopted',
  async () => {
    const { page, complaints } = await suite.openAsAdmin();
    const adoptedBots = page.getByRole('region', { name: ADOPTED });
    await page.goto(`${suite.fleet.url}/console/bots/${parent.id}/settings`);
    await adoptedBots.getByText(`@${adopted.username}`).waitFor();
    await adoptedBots.getByRole('link', { name: adopted.name }).first().click();
    await page.waitForURL(`**/console/bots/${adopted.id}`);
    await page.getByRole('heading', { name: adopted.name }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the dialog of a move says what it does before, and begins it',
  async () => {
    const { page, complaints } = await suite.openAsAdmin();
    const { id } = await suite.fleet.addBot({ long_poll_enabled: true });
    await page.goto(`${suite.fleet.url}/console/bots/${id}/settings`);
    await page.getByRole('button', { name: /^Move…/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'local' }).waitFor();
    await dialog.getByText('no updates wait at the platform').waitFor();
    await dialog.getByText('the bot is logged out at the platform').waitFor();
    const moves = async () => (await suite.fleet.rest<BotResource>(`/api/bots/show?id=${id}`)).moving?.to;
    expect(await moves()).toBeUndefined();
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText('Moving to another Bot API server').waitFor();
    expect(await moves()).toBe('local');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('the link, the rotation and the move', suite, async ({ page, signIn }, lookAt) => {
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  const shows = async (path: string, button: RegExp, name: string) => {
    await page.goto(`${suite.fleet.url}/console/bots/${path}`);
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('dialog').waitFor();
    await lookAt(name);
  };
  await page.goto(`${suite.fleet.url}/console/bots/${parent.id}/settings`);
  await page.getByRole('region', { name: ADOPTED }).scrollIntoViewIfNeeded();
  await lookAt('adopted-bots');
  await shows(`${parent.id}/settings`, /^Show the link/, 'make-bot');
  await shows(`${adopted.id}/settings`, /^Rotate…/, 'rotate-token');
  await page.goto(`${suite.fleet.url}/console/bots/${adopted.id}/settings`);
  await page.getByRole('button', { name: /^Move…/ }).click();
  await page.getByRole('dialog').getByRole('listitem').nth(3).waitFor();
  await lookAt('move-bot');
  await page.goto(`${suite.fleet.url}/console/bots/${moving.id}`);
  await page.getByText(/401/).first().waitFor();
  await lookAt('moving');
});

test(
  'a move that waits without an end in sight is called stuck after a minute',
  async () => {
    const kinds = async () => {
      const all = await suite.fleet.rest<{ kind: string }[]>(`/api/attention?bot_id=${moving.id}`);
      return all.map(({ kind }) => kind);
    };
    await waitFor(async () => (await kinds()).includes('move_stuck'), { timeoutMs: TEST_MS, message: 'the attention' });
    const { page } = await suite.openAsAdmin();
    await page.getByRole('region', { name: 'Needs attention' }).getByText('Move stuck').waitFor();
  },
  2 * TEST_MS,
);
