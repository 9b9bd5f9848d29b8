import type { Page } from '@flotilla/testing/browser.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS } from './console-suite.ts';
import { ADA, type InboxScene, MAX, playInboxScene, storeLongChat } from './inbox-scene.ts';
import { picture } from './open-console.ts';

const GRACE = ['grace', 'a password of grace'] as const;

let scene: InboxScene;

const suite = consoleSuite({ apis: 1, workers: 1 });
const { open, openAsAdmin } = suite;

beforeAll(async () => {
  scene = await playInboxScene(suite.fleet);
  await storeLongChat(suite.database, scene.shop);
  const grace = { username: GRACE[0], password: GRACE[1], role: 'user', bot_ids: [scene.desk.id] };
  await suite.fleet.rest('/api/auth/users/add', { ...grace, must_change_password: false });
}, TEST_MS);

const messages = (page: Page) => page.getByRole('article');

test(
  'a message of the bot is edited, gets buttons, is deleted; a file is sent; refusals are told in words',
  async () => {
    const { page, complaints } = await openAsAdmin(`inbox/${scene.desk.id}/${ADA}`);
    const { control } = suite.fleet;
    const toDesk = { person: ADA, bot: scene.desk.platformId };
    const sent = async () => (await control.readChat(toDesk)).messages;
    const field = page.getByRole('textbox', { name: 'Write as @helpdesk_bot' });
    await field.fill('Choose one');
    await page.getByRole('button', { name: 'Buttons' }).click();
    await page.getByLabel('Text', { exact: true }).fill('Track');
    await page.getByLabel('What it does').selectOption('url');
    await page.getByLabel('Opens an address').fill('https://shop.example/track');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const choose = messages(page).filter({ hasText: 'Choose one' });
    await choose.getByText('Track').waitFor();
    const act = async (name: string) => {
      await choose.hover();
      await choose.getByRole('button', { name: 'Acts on the message' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    await act('Edit');
    await page.getByRole('textbox', { name: 'Edit' }).fill('Choose one, please');
    await page.keyboard.press('Control+Enter');
    await choose.getByText('edited').waitFor();
    const edited = await waitFor(async () => (await sent()).find(({ text }) => text === 'Choose one, please'));
    expect(JSON.stringify(edited?.reply_markup)).toContain('https://shop.example/track');
    await act('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await choose.getByText('deleted').waitFor();
    expect((await sent()).some(({ text }) => text === 'Choose one, please')).toBe(false);

    const file = { name: 'terms.txt', mimeType: 'text/plain', buffer: Buffer.from('Terms') };
    await page.locator('input[type=file]').setInputFiles(file);
    await field.fill('Our terms');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await messages(page).filter({ hasText: 'terms.txt' }).getByText('Our terms').waitFor();
    expect((await sent()).at(-1)).toMatchObject({ caption: 'Our terms', file: { name: 'terms.txt', size: 5 } });

    await control.blockBot({ ...toDesk, blocked: true });
    await field.fill('Hello?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The person has blocked the bot.').waitFor();
    await picture(page, 'inbox-blocked');
    expect(await field.inputValue()).toBe('Hello?');
    await control.blockBot({ ...toDesk, blocked: false });
    expect(complaints.filter((line) => !line.includes('/api/messages/send'))).toEqual([]);
  },
  TEST_MS,
);

test(
  'another account sees the chats of its own bots only, also by address',
  async () => {
    const { page, signIn, complaints, answers } = await open('inbox');
    await signIn(...GRACE);
    await page.getByRole('link', { name: /^Ada Lovelace/ }).waitFor();
    expect(await page.getByRole('link', { name: /^Team chat/ }).count()).toBe(0);
    await page.goto(`${suite.fleet.url}/console/inbox/${scene.shop.id}/${scene.team}`);
    await page.getByText('There is no such bot, or it is not among yours.').waitFor();
    await page.goto(`${suite.fleet.url}/console/bots/${scene.shop.id}/chats/${MAX}`);
    await page.getByText('There is no such bot, or it is not among yours.').waitFor();
    expect(answers.map(({ text }) => text).join()).not.toContain('Team chat');
    expect(complaints.filter((line) => !line.includes('403'))).toEqual([]);
  },
  TEST_MS,
);
