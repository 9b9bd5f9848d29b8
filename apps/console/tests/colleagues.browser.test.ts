import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { Locator, Page } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';

const ADA = 9_130;
const OTHER = 9_131;
const GRACE = ['grace', 'a password of grace'] as const;
const HOSTILE = '<b onclick=alert(1)>Grace</b> \u202eecarG with a display name that is much longer than its place';

let bot: FleetBot;
let graceId: number;

const suite = consoleSuite({ apis: 2, workers: 1 });

beforeAll(async () => {
  const { fleet } = suite;
  bot = await fleet.addBot({}, { name: 'Desk', username: 'desk_bot' });
  for (const [id, firstName] of [
    [ADA, 'Ada'],
    [OTHER, 'Other'],
  ] as const) {
    await fleet.control.createPerson({ id, firstName });
    await fleet.control.startBot({ person: id, bot: bot.platformId, quietly: true });
    await fleet.control.sendMessage({ person: id, bot: bot.platformId, text: 'Where is my order?' });
  }
  const grace = { username: GRACE[0], password: GRACE[1], role: 'user', bot_ids: [bot.id], display_name: HOSTILE };
  ({ id: graceId } = await fleet.rest<{ id: number }>('/api/auth/users/add', {
    ...grace,
    must_change_password: false,
  }));
  await waitFor(async () => (await fleet.rest<ChatResource[]>(`/api/chats?bot_id=${bot.id}`)).length === 2, {
    timeoutMs: 60_000,
  });
}, TEST_MS);

const inbox = (chat = ADA) => `inbox/${bot.id}/${chat}`;
const field = (page: Page) => page.getByRole('textbox', { name: /^Write as/ });
const desk = (page: Page) => page.getByRole('group', { name: 'Who answers here' });
const rowOf = (page: Page, name: string): Locator => page.getByRole('link', { name: new RegExp(name) });
const openAsGrace = async (path: string) => {
  const one = await suite.open(path);
  await one.signIn(...GRACE);
  await rowOf(one.page, 'Ada').waitFor();
  return one;
};
/** Nobody waits for the next question of the page, which comes after 10 s. */
const AT_ONCE = { timeout: 9_000 };

test(
  'a colleague in the chat is seen there and in the list, with what they do, and one is asked before answering beside them',
  async () => {
    const [admin, grace] = [await suite.openAsAdmin(inbox()), await openAsGrace(inbox(OTHER))];
    await field(admin.page).waitFor();
    await rowOf(grace.page, 'Ada')
      .getByText(/admin\S? is viewing/)
      .waitFor(AT_ONCE);
    await rowOf(grace.page, 'Ada').click();
    await grace.page
      .locator('.chat-head')
      .getByText(/admin\S? is viewing/)
      .waitFor(AT_ONCE);
    await field(admin.page).fill('On its');
    await grace.page
      .getByText(/admin\S? is typing…/)
      .first()
      .waitFor(AT_ONCE);

    await desk(admin.page).getByRole('button', { name: 'Take over' }).click();
    await admin.page.getByRole('menuitem', { name: '30 minutes' }).click();
    await desk(grace.page)
      .getByText(/Taken over by \S?admin/)
      .waitFor(AT_ONCE);
    await grace.page.getByText(/admin\S? took over/).waitFor(AT_ONCE);
    await field(grace.page).fill('Beside you');
    await field(grace.page).press('Control+Enter');
    await grace.page.getByRole('dialog', { name: 'Somebody else answers here' }).waitFor();
    await grace.page.getByRole('button', { name: 'Send anyway' }).click();
    const answer = (page: Page) => page.getByRole('article').filter({ hasText: 'Beside you' });
    await answer(admin.page).waitFor(AT_ONCE);
    await answer(admin.page).getByText('grace').waitFor({ timeout: 15_000 });
    await desk(admin.page).getByRole('button', { name: 'Assign', exact: true }).click();
    await admin.page.getByRole('menuitemradio', { name: HOSTILE }).click();
    await grace.page.getByText(/assigned to You/).waitFor(AT_ONCE);
    // A press during the act before is not taken.
    await admin.page.locator('.desk-bar:not([aria-busy])').waitFor();
    await desk(admin.page).getByRole('button', { name: 'Hand back' }).click();
    await desk(grace.page).getByRole('button', { name: 'Take over' }).waitFor(AT_ONCE);

    await admin.page.keyboard.press('Escape');
    await rowOf(admin.page, 'Other').click();
    await grace.page.locator('.chat-head .who-is-here').waitFor({ state: 'detached', timeout: 60_000 });
    expect([...admin.complaints, ...grace.complaints]).toEqual([]);
  },
  TEST_MS,
);

test(
  'a note is written in the chat, mentions a colleague who is told at once, and reaches nobody else',
  async () => {
    const [admin, grace] = [await suite.openAsAdmin(inbox()), await openAsGrace('inbox')];
    await field(admin.page).waitFor();
    await admin.page.getByRole('feed').focus();
    await admin.page.keyboard.press('n');
    const note = admin.page.getByRole('textbox', { name: 'Write a note' });
    await note.pressSequentially('Refund agreed <i>, @gra');
    await admin.page.getByRole('option', { name: /@grace/ }).waitFor();
    await note.press('Enter');
    await waitFor(async () => (await note.inputValue()) === 'Refund agreed <i>, @grace ');
    await note.press('Control+Enter');
    await admin.page.getByRole('article').filter({ hasText: 'Refund agreed <i>' }).waitFor();

    await grace.page.getByRole('button', { name: '1 note mentions you' }).click({ timeout: 10_000 });
    await grace.page.getByRole('menuitem', { name: /Refund agreed/ }).click();
    const shown = grace.page.getByRole('article').filter({ hasText: 'Refund agreed <i>' });
    await shown.getByText('mentions you').waitFor();
    expect(await shown.getByRole('button', { name: 'Acts on the note' }).count()).toBe(0);
    await grace.page.getByRole('button', { name: '1 note mentions you' }).waitFor({ state: 'detached' });

    const own = admin.page.getByRole('article').filter({ hasText: 'Refund agreed <i>' });
    await own.getByRole('button', { name: 'Acts on the note' }).click();
    await admin.page.getByRole('menuitem', { name: 'Edit' }).click();
    await note.fill('Refunded');
    await note.press('Control+Enter');
    await grace.page.getByRole('article').filter({ hasText: 'Refunded' }).waitFor(AT_ONCE);
    const seen = await suite.fleet.control.readChat({ person: ADA, bot: bot.platformId });
    expect(JSON.stringify(seen)).not.toContain('Refund');
    expect([...admin.complaints, ...grace.complaints]).toEqual([]);
  },
  TEST_MS,
);

test(
  'a queue counts what it lists, by how long they wait; a key resolves a chat and opens the next, and a view is saved',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('inbox');
    const { control } = suite.fleet;
    for (const person of [ADA, OTHER]) await control.sendMessage({ person, bot: bot.platformId, text: 'Still there?' });
    const queue = (name: RegExp) => page.getByRole('navigation', { name: 'Queues' }).getByRole('link', { name });
    await queue(/^Waiting\s*2/).click({ timeout: 20_000 });
    await page.waitForURL('**/inbox?queue=waiting');
    await rowOf(page, 'Ada')
      .getByText(/waits \d+ sec/)
      .waitFor();
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('To answer');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'To answer' }).waitFor();
    await rowOf(page, 'Ada').focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction('document.activeElement.matches(".compose textarea")');
    await page.keyboard.press('Escape');
    await page.getByRole('group', { name: 'Who answers here' }).getByRole('button').first().waitFor();
    await page.keyboard.press('m');
    await queue(/^Mine\s*1/).waitFor();
    await page.keyboard.press('e');
    await page.waitForURL(`**/inbox/${bot.id}/${OTHER}?queue=waiting`);
    await rowOf(page, 'Ada').waitFor({ state: 'detached' });
    await queue(/^Waiting\s*1/).waitFor();
    await control.sendMessage({ person: ADA, bot: bot.platformId, text: 'One more thing' });
    await queue(/^Waiting\s*2/).waitFor({ timeout: 20_000 });
    await page.getByRole('button', { name: 'View To answer' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'To answer' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks(
  'a chat with notes and colleagues is accessible and fits the window',
  suite,
  async ({ page, signIn }, lookAt) => {
    const { fleet } = suite;
    const chat = { bot_id: bot.id, chat_id: OTHER };
    const notes = await fleet.rest<object[]>(`/api/notes?bot_id=${bot.id}&chat_id=${OTHER}`);
    if (notes.length === 0) {
      await fleet.rest('/api/messages/send', { ...chat, text: 'On its way' });
      await fleet.rest('/api/notes/add', {
        ...chat,
        text: `${HOSTILE} ${'long'.repeat(60)} @grace`,
        mentions: [graceId],
      });
      await fleet.rest('/api/chats/assign', { ...chat, account_id: graceId });
    }
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(...ADMIN);
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    await page.goto(`${fleet.url}/console/${inbox(OTHER)}`);
    await page.locator('.note').waitFor();
    await fleet.rest('/api/chats/presence', { ...chat, doing: 'typing' });
    await lookAt('colleagues');
  },
);
