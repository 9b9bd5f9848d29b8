import type { ChatResource } from '@flotilla/contract/chats.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { Page } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, showTools, TEST_MS, testLooks } from './console-suite.ts';

const ADA = 9_120;
const HOSTILE = '<b onclick=alert(1)>an account</b> with a display name that is much longer than its place';

let bot: FleetBot;
let backend: TestBackend;

const suite = consoleSuite({ apis: 1, workers: 1 });

beforeAll(async () => {
  const { fleet } = suite;
  backend = await startBackend();
  bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url }, { name: 'Desk', username: 'desk_bot' });
  await fleet.control.createPerson({ id: ADA, firstName: 'Ada <i>', username: 'ada' });
  await fleet.control.startBot({ person: ADA, bot: bot.platformId, quietly: true });
  await say('Where is my order?');
  const grace = { username: 'grace', password: 'a password of grace', role: 'user', bot_ids: [bot.id] };
  await fleet.rest('/api/auth/users/add', { ...grace, display_name: HOSTILE, must_change_password: false });
  await waitFor(async () => (await stored()) !== undefined, { timeoutMs: 60_000 });
}, TEST_MS);
afterAll(() => backend?.stop());

const say = (text: string) => suite.fleet.control.sendMessage({ person: ADA, bot: bot.platformId, text });
const stored = async () =>
  (await suite.fleet.rest<ChatResource[]>(`/api/chats?bot_id=${bot.id}&order=recent`)).find(({ id }) => id === ADA);
/** Makes it look as if its time were over. */
const endHold = async () => {
  const redis = await connectRedis({ url: suite.fleet.redis.url, log: { warn: () => undefined } });
  await redis.commands.hset(botKeys(bot.id).holds, String(ADA), `${Date.now() - 1} 60000 1  account:admin`);
  await redis.close();
};
const desk = (page: Page) => page.getByRole('group', { name: 'Who answers here' });
const field = (page: Page) => page.getByRole('textbox', { name: /^Write as/ });
const backendGot = (text: string) => backend.requests.some((request) => request.text.includes(text));
const openChat = async () => {
  const one = await suite.openAsAdmin(`inbox/${bot.id}/${ADA}`);
  await desk(one.page).getByRole('button', { name: 'Assign' }).waitFor();
  return one;
};

test(
  'a chat is taken over, which lasts a while and shows what the bot missed, and is given back with that, or ends by itself',
  async () => {
    const { page, complaints } = await openChat();
    await desk(page).getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('menuitem', { name: '30 minutes' }).click();
    await desk(page).getByText('You have taken over · the bot is back in 29 min').waitFor();
    await say('held one');
    await say('held two');
    await desk(page).getByRole('button', { name: 'Hand back to bot 2 updates missed' }).waitFor();
    expect(backendGot('held')).toBe(false);
    await desk(page).getByRole('button', { name: 'Hand back to bot' }).click();
    await page.getByRole('menuitem', { name: 'Include 2 missed updates' }).click();
    await desk(page).getByRole('button', { name: 'Take over' }).waitFor();
    await waitFor(() => backendGot('held one') && backendGot('held two'));
    await desk(page).getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('menuitem', { name: '24 hours' }).click();
    await desk(page).getByText('in 23 hr').waitFor();
    await say('never told');
    await desk(page).getByRole('button', { name: 'Hand back to bot 1 update missed' }).waitFor();
    await endHold();
    await page.reload();
    await desk(page).getByRole('button', { name: 'The bot missed' }).click();
    await page.getByRole('menuitem', { name: 'Deliver 1 update now' }).waitFor();
    await page.getByRole('menuitem', { name: 'Keep in history only' }).click();
    await desk(page).getByRole('button', { name: 'The bot missed' }).waitFor({ state: 'detached' });
    await say('told again');
    await waitFor(() => backendGot('told again'));
    expect(backendGot('never told')).toBe(false);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a chat is assigned, done and opened again, and the next message of a person opens it too',
  async () => {
    const { page, complaints } = await openChat();
    await desk(page).getByRole('button', { name: 'Assign' }).click();
    await page.getByRole('menuitemradio', { name: HOSTILE }).click();
    await desk(page)
      .getByRole('button', { name: `Assigned to ${HOSTILE}` })
      .waitFor();
    expect(await stored()).toMatchObject({ assigned_to_name: HOSTILE });
    await desk(page).getByRole('button', { name: 'Assigned to' }).click();
    await page.getByRole('menuitemradio', { name: 'Nobody' }).click();
    await desk(page).getByRole('button', { name: 'Assign', exact: true }).waitFor();
    await desk(page).getByRole('button', { name: 'Resolve' }).click();
    await desk(page).getByRole('button', { name: 'Reopen' }).click();
    await desk(page).getByRole('button', { name: 'Resolve' }).click();
    await desk(page).getByRole('button', { name: 'Reopen' }).waitFor();
    expect(await stored()).toMatchObject({ state: 'done' });
    await say('One more thing');
    await desk(page).getByRole('button', { name: 'Resolve' }).waitFor({ timeout: 30_000 });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'saved replies are added, found with / and filled in with the name of the person, changed and deleted',
  async () => {
    const { page, complaints } = await openChat();
    await page.getByRole('button', { name: 'Saved replies' }).click();
    await page.getByText('No saved replies yet').waitFor();
    await page.getByRole('button', { name: 'Add reply' }).click();
    const form = page.getByRole('dialog', { name: 'Add reply' });
    await form.getByLabel('Name').fill('On its way');
    await form.getByLabel('Text').fill('Hello {first_name}, @{username}: <b>on its way</b>.');
    await form.getByLabel('Format').selectOption('HTML');
    await form.getByRole('button', { name: 'Save' }).click();
    const list = page.getByRole('dialog', { name: 'Saved replies' });
    await list.getByText('On its way').first().waitFor();
    await page.keyboard.press('Escape');

    await field(page).fill('/way');
    await page.getByRole('option', { name: /On its way/ }).waitFor();
    await field(page).press('Enter');
    await waitFor(async () => (await field(page).inputValue()) === 'Hello Ada &lt;i&gt;, @ada: <b>on its way</b>.');
    await field(page).press('Control+Enter');
    await page.getByRole('article').filter({ hasText: 'Hello Ada <i>, @ada: on its way.' }).waitFor();

    // Escape closes the list, and what begins with / can be sent.
    await field(page).fill('/');
    await page.getByRole('option', { name: /On its way/ }).waitFor();
    await field(page).press('Escape');
    await page.locator('.reply-list').waitFor({ state: 'detached' });
    expect(await field(page).inputValue()).toBe('/');
    await field(page).fill('');

    await page.getByRole('button', { name: 'Saved replies' }).click();
    await list.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit reply' });
    await edit.getByLabel('Name').fill('Sent');
    await edit.getByRole('button', { name: 'Save' }).click();
    await list.getByText('Sent', { exact: true }).waitFor();
    await list.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete the reply?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No saved replies yet').waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('the desk is accessible and fits the window', suite, async ({ page, signIn }, lookAt) => {
  const { fleet } = suite;
  const replies = await fleet.rest<{ id: number }[]>('/api/replies');
  if (replies.length === 0) {
    await fleet.rest('/api/replies/add', { name: HOSTILE.slice(0, 64), text: 'Hello {first_name}', bot_ids: [bot.id] });
  }
  const accounts = await fleet.rest<{ id: number; username: string }[]>('/api/auth/users');
  const grace = accounts.find(({ username }) => username === 'grace')!.id;
  await fleet.rest('/api/chats/assign', { bot_id: bot.id, chat_id: ADA, account_id: grace });
  await fleet.rest('/api/chats/takeover', { bot_id: bot.id, chat_id: ADA, minutes: 240 });
  await say('held');
  await waitFor(async () => ((await stored())?.missed ?? 0) > 0);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${fleet.url}/console/inbox/${bot.id}/${ADA}`);
  await page.locator('.desk-held, .phone-head.held').waitFor();
  await page.locator('.compose textarea').fill('/');
  await page.locator('.reply-list [role=option]').first().waitFor();
  await lookAt('desk');
  await page.locator('.compose textarea').fill('');
  await showTools(page);
  await page.getByRole('button', { name: /^(Saved replies|Готовые ответы)$/ }).click();
  await page.getByRole('dialog').waitFor();
  await lookAt('saved-replies');
});
