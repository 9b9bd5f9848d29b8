import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, showTools, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';

const ADA = 9_041;
const HOUR_MS = 3_600_000;

let bot: FleetBot;

const suite = consoleSuite({ apis: 1, workers: 1 });

beforeAll(async () => {
  const { control, rest } = suite.fleet;
  bot = await suite.fleet.addBot({}, { name: 'Help desk' });
  await control.createPerson({ id: ADA, firstName: HOSTILE.cyrillic });
  await control.startBot({ person: ADA, bot: bot.platformId });
  const isStored = async () => (await rest<unknown[]>(`/api/messages?bot_id=${bot.id}&chat_id=${ADA}`)).length > 0;
  await waitFor(isStored, { message: 'the chat' });
}, TEST_MS);
beforeEach(() => suite.database.db.deleteFrom('outbox').execute());

const entries = () => suite.fleet.rest<OutboxEntryResource[]>(`/api/outbox?bot_id=${bot.id}&chat_id=${ADA}`);

test(
  'a message is scheduled by a usual time or one that is typed, stands above the field, and is cancelled',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`inbox/${bot.id}/${ADA}`);
    const field = page.getByRole('textbox', { name: /as @/ });
    const later = page.getByRole('button', { name: 'Send later' });
    await later.click();
    await page.getByText('Type a message first.').waitFor();
    await page.keyboard.press('Escape');
    await field.fill('Good *morning*');
    await page.getByLabel('Formatting').selectOption('MarkdownV2');
    await later.click();
    await page.getByRole('menuitem', { name: 'In an hour' }).click();
    await page.getByText('1 message is scheduled').waitFor();
    expect(await field.inputValue()).toBe('');
    const [first] = await entries();
    expect(first).toMatchObject({
      ...{ method: 'sendMessage', priority: 'normal', state: 'scheduled', created_by: 'admin' },
      params: { chat_id: ADA, text: 'Good *morning*', parse_mode: 'MarkdownV2' },
    });
    const inMs = Date.parse(first?.send_at ?? '') - Date.now();
    expect(inMs).toBeGreaterThan(HOUR_MS / 2);
    // The api keeps whole seconds.
    expect(inMs).toBeLessThanOrEqual(HOUR_MS + 1_000);

    await field.fill('Happy new year');
    await later.click();
    await page.getByRole('menuitem', { name: 'Pick a time…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send later' });
    await dialog.getByLabel('When').fill('2020-01-01 10:00');
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await dialog.getByText('Enter a future time within a year.').waitFor();
    const year = new Date(Date.now() + 48 * HOUR_MS).toISOString().slice(0, 10);
    await dialog.getByLabel('When').fill(`${year} 10:00`);
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await field.fill('Not sent yet');
    await page.getByText('2 messages are scheduled').click();
    await page.getByRole('button', { name: 'Cancel: Happy new year' }).click();
    await page.getByRole('button', { name: 'Cancel message' }).click();
    await page.getByText('1 message is scheduled').waitFor();
    expect(await field.inputValue()).toBe('Not sent yet');
    const { calls } = await suite.fleet.control.readCalls({ bot: bot.platformId, method: 'sendMessage' });
    expect(calls).toEqual([]);
    expect((await entries()).map(({ state }) => state)).toEqual(['cancelled', 'scheduled']);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'when its time has come it is sent, and the chat shows it',
  async () => {
    const { page } = await suite.openAsAdmin(`inbox/${bot.id}/${ADA}`);
    await page.getByRole('textbox', { name: /as @/ }).fill('It was about time');
    await page.getByRole('button', { name: 'Send later' }).click();
    await page.getByRole('menuitem', { name: 'In an hour' }).click();
    await page.getByText('1 message is scheduled').waitFor();
    // The entry becomes due, and another one wakes the worker.
    await suite.database.db.updateTable('outbox').set({ send_at: new Date() }).execute();
    await suite.fleet.rest('/api/outbox/add', {
      ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id: ADA, text: 'Now' } },
    });
    const feed = page.locator('.feed');
    await feed.getByText('Now', { exact: true }).waitFor();
    await feed.getByText('It was about time').waitFor({ timeout: 60_000 });
    await page.getByText('1 message is scheduled').waitFor({ state: 'hidden' });
  },
  TEST_MS,
);

testLooks('what is scheduled is accessible and fits the window', suite, async ({ page, signIn }, lookAt) => {
  for (const text of [HOSTILE.word, HOSTILE.arabic, 'Short']) {
    await suite.fleet.rest('/api/outbox/add', {
      ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id: ADA, text } },
      send_at: new Date(Date.now() + 30 * HOUR_MS).toISOString(),
    });
  }
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/inbox/${bot.id}/${ADA}`);
  await page.locator('.scheduled summary').click();
  await lookAt('send-later-scheduled');
  await page.locator('.compose textarea').fill('Hello');
  await showTools(page);
  await page.getByRole('button', { name: 'Send later' }).click();
  await page.getByRole('menuitem', { name: 'In an hour' }).waitFor();
  await lookAt('send-later-menu');
});
