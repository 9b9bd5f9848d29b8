import type { Page } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';
import { picture } from './open-console.ts';

const ADA = 777;
const MAX = 888;

const suite = consoleSuite({ apis: 1, workers: 1 });
let desk: FleetBot;

beforeAll(async () => {
  const { control } = suite.fleet;
  desk = await suite.fleet.addBot({}, { name: HOSTILE.word, username: 'helpdesk_bot' });
  await control.createPerson({ id: ADA, firstName: 'Ada', lastName: 'Lovelace' });
  await control.createPerson({ id: MAX, firstName: HOSTILE.cyrillic });
}, TEST_MS);

beforeEach(async () => {
  // Both have written last, and nobody has answered or read.
  await write(ADA, 'Where is my order?');
  await write(MAX, 'Hello?');
}, TEST_MS);

type Listed = { id: number; unread: number; awaits_answer: boolean; last_message?: { text?: string } };
const listed = () => suite.fleet.rest<Listed[]>('/api/chats?order=recent');

/** Writes to the bot, and waits until the history has it. */
async function write(person: number, text: string): Promise<void> {
  await suite.fleet.control.sendMessage({ person, bot: desk.platformId, text });
  const isStored = async () =>
    (await listed()).some(({ id, last_message: last }) => id === person && last?.text === text);
  await waitFor(isStored, { timeoutMs: 60_000 });
}

const answer = (person: number, text: string) =>
  suite.fleet.rest('/api/messages/send', { bot_id: desk.id, chat_id: person, text });
const row = (page: Page, name: string) => page.getByRole('link', { name: new RegExp(`^${name}`) });
const inbox = (page: Page) => page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: /^Inbox/ });

test(
  'the navigation and the title count the unread chats, and fewer once one is read',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('inbox');
    await inbox(page).getByText('2', { exact: true }).waitFor({ timeout: 30_000 });
    expect(await page.title()).toMatch(/^\(2\) Inbox/);
    await row(page, 'Ada').click();
    await inbox(page).getByText('1', { exact: true }).waitFor();
    await waitFor(async () => (await page.title()).startsWith('(1) Ada Lovelace'));
    await page.goto(`${suite.fleet.url}/console/live`);
    await inbox(page).getByText('1', { exact: true }).waitFor();
    expect(await page.title()).toMatch(/^\(1\) Live/);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a chat that was answered is neither unread nor awaits an answer; a chat of somebody is among their own',
  async () => {
    await answer(ADA, 'It is on its way.');
    const { page, complaints } = await suite.openAsAdmin('inbox?unread=1');
    await row(page, HOSTILE.cyrillic).waitFor();
    expect(await row(page, 'Ada').count()).toBe(0);
    const mark = (name: string) => page.getByRole('button', { name, exact: true });
    await mark('Unread').press('Enter');
    await row(page, 'Ada').waitFor();
    const queue = (name: string) => page.getByRole('navigation', { name: 'Queues' }).getByRole('link', { name });
    await queue('Waiting').press('Enter');
    await page.waitForURL('**/inbox?queue=waiting');
    await row(page, 'Ada').waitFor({ state: 'detached' });
    await row(page, HOSTILE.cyrillic).waitFor();
    await queue('Mine').click();
    await page.getByText('No chats match the filter.').waitFor();
    const { id } = await suite.fleet.rest<{ id: number }>('/api/auth/me');
    await suite.fleet.rest('/api/chats/assign', { bot_id: desk.id, chat_id: ADA, account_id: id });
    await page.reload();
    await row(page, 'Ada').waitFor({ timeout: 30_000 });
    expect(await row(page, HOSTILE.cyrillic).count()).toBe(0);
    await suite.fleet.rest('/api/chats/assign', { bot_id: desk.id, chat_id: ADA, account_id: null });
    await queue('All').click();
    await row(page, HOSTILE.cyrillic).waitFor();
    await queue('Taken over').click();
    await page.waitForURL('**/inbox?queue=held');
    await page.getByText('No chats match the filter.').waitFor();
    await suite.fleet.rest('/api/chats/takeover', { bot_id: desk.id, chat_id: ADA });
    await row(page, 'Ada').waitFor({ timeout: 30_000 });
    expect(await row(page, HOSTILE.cyrillic).count()).toBe(0);
    await suite.fleet.rest('/api/chats/release', { bot_id: desk.id, chat_id: ADA });
    await row(page, 'Ada').waitFor({ state: 'detached', timeout: 30_000 });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'Enter sends where somebody chose so, in this browser from then on; Shift Enter makes a line',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`inbox/${desk.id}/${ADA}`);
    const field = page.getByRole('textbox', { name: 'Write as @helpdesk_bot' });
    await field.fill('One');
    await field.press('Enter');
    await field.pressSequentially('two');
    expect(await field.inputValue()).toBe('One\ntwo');
    await page.getByRole('button', { name: /^Ctrl Enter sends/ }).click();
    await page.getByRole('button', { name: /^Enter sends/ }).waitFor();
    await page.reload();
    await field.press('Shift+Enter');
    await field.pressSequentially('three');
    await field.press('Enter');
    const sent = page.getByRole('article').filter({ hasText: 'three' });
    await sent.waitFor({ timeout: 30_000 });
    expect(await sent.locator('.text').textContent()).toContain('three');
    expect(await field.inputValue()).toBe('');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

/** Keeps what the page lets the browser tell, which a headless one shows to nobody. */
const RECORD = `
  window.told = [];
  const shown = window.Notification;
  window.Notification = class extends shown {
    constructor(title, options) {
      super(title, options);
      window.told.push({ title, body: options.body, press: () => this.onclick() });
    }
  };
  document.hasFocus = () => false;
`;
type Told = { title: string; body: string };
const toldBy = (page: Page) => page.evaluate<Told[]>('told.map(({ title, body }) => ({ title, body }))');

async function chooseNotices(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Appearance and language' }).click();
  await page.getByRole('menuitemradio', { name, exact: true }).click();
}

test(
  'the browser tells of new messages once somebody asked for it, with their texts only if wanted',
  async () => {
    const one = await suite.open('live');
    const { page, context, complaints } = one;
    await page.addInitScript(RECORD);
    await context.grantPermissions(['notifications'], { origin: suite.fleet.url });
    await page.reload();
    await one.signIn(...ADMIN);
    await inbox(page).waitFor();
    await chooseNotices(page, 'Who wrote');
    await page.keyboard.press('Escape');
    await page.waitForResponse((response) => response.url().includes('/api/chats?order=recent'));
    await write(ADA, 'A secret of mine');
    await waitFor(async () => (await toldBy(page)).length > 0, { timeoutMs: 60_000 });
    expect(await toldBy(page)).toEqual([{ title: 'Ada Lovelace', body: `${HOSTILE.word}: new message` }]);

    await chooseNotices(page, 'Who wrote what');
    await page.keyboard.press('Escape');
    await write(MAX, 'Are you there?');
    await waitFor(async () => (await toldBy(page)).length > 1, { timeoutMs: 60_000 });
    expect((await toldBy(page))[1]).toEqual({ title: HOSTILE.cyrillic, body: `${HOSTILE.word}: Are you there?` });
    await page.evaluate('told[1].press()');
    await page.waitForURL(`**/inbox/${desk.id}/${MAX}`);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'where the browser allows no notifications, the menu says so and tells of none',
  async () => {
    const { page, context } = await suite.openAsAdmin('live');
    await context.clearPermissions();
    await page.addInitScript("Notification.requestPermission = async () => 'denied';");
    await page.reload();
    await inbox(page).waitFor();
    await chooseNotices(page, 'Who wrote');
    await page.getByText('The browser blocks notifications from this page.').waitFor();
    expect(await page.getByRole('menuitemradio', { name: 'None' }).getAttribute('aria-checked')).toBe('true');
    await picture(page, 'notices-refused');
  },
  TEST_MS,
);

testLooks('the counts, the marks and the menu fit every look', suite, async (one, lookAt) => {
  const { page } = one;
  await one.signIn(...ADMIN);
  await inbox(page).waitFor();
  await page.goto(`${suite.fleet.url}/console/inbox?awaits=1`);
  await row(page, 'Ada').waitFor();
  await inbox(page).locator('.count').waitFor({ timeout: 30_000 });
  const cut = "[...document.querySelectorAll('.chat-mark')].filter((one) => one.scrollWidth > one.clientWidth).length";
  expect(await page.evaluate(cut)).toBe(0);
  await lookAt('inbox-marks');
  await page.getByRole('button', { name: 'Appearance and language' }).click();
  await page.getByRole('menuitemradio', { name: 'Who wrote what' }).waitFor();
  await lookAt('inbox-menu');
});
