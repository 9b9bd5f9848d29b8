import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { picture } from './open-console.ts';

const ADA = 70_001;
const BORIS = 70_002;
const CLEO = 70_003;

const suite = consoleSuite({ apis: 1, workers: 1 });
const { open, openAsAdmin } = suite;
let desk: FleetBot;
let shop: FleetBot;
let group: number;
let moderator: TestAccount;

beforeAll(async () => {
  const { fleet, database } = suite;
  const { control } = fleet;
  desk = await fleet.addBot({}, { name: 'Help desk', username: 'helpdesk_bot' });
  shop = await fleet.addBot({}, { name: 'Shop EU', username: 'shop_eu_bot' });
  await control.createPerson({ id: ADA, firstName: 'Ada', lastName: 'Lovelace', username: 'ada' });
  await control.createPerson({ id: BORIS, firstName: 'Boris' });
  await control.createPerson({ id: CLEO, firstName: 'Cleo', username: 'cleo' });
  const admins = [{ bot: desk.platformId }];
  const place = { type: 'supergroup' as const, title: 'Library', creator: CLEO, members: [ADA, BORIS], admins };
  group = (await control.createChat(place)).id;
  await control.sendMessage({ person: ADA, chat: group, text: 'Where is my Café order?' });
  await control.sendMessage({
    person: BORIS,
    chat: group,
    text: 'The <img src=x onerror=alert(1)> order of Ada is lost',
  });
  await control.sendMessage({ person: CLEO, chat: group, text: 'Please be patient' });
  await control.sendMessage({ person: ADA, bot: shop.platformId, text: 'An order, please' });
  moderator = await insertAccount(database.db, { username: 'moderator', bots: [desk.id] });
  const messagesOf = (bot: number, chat: number) =>
    fleet.rest<unknown[]>(`/api/messages?bot_id=${bot}&chat_id=${chat}`).then((rows) => rows.length);
  await waitFor(async () => (await messagesOf(desk.id, group)) >= 3 && (await messagesOf(shop.id, ADA)) >= 1, {
    timeoutMs: TEST_MS / 2,
  });
  await fleet.rest('/api/tags/add', {
    bot_id: desk.id,
    chat_id: group,
    user_id: BORIS,
    tag: 'refund',
    color: '#CC3300',
  });
}, TEST_MS);

const statusOf = async (person: number) =>
  (await suite.fleet.control.readChat({ chat: group })).members.find(({ id }) => id === person)?.status;
const people = () => `bots/${desk.id}/chats/${group}/people`;

test(
  'a person of a group is found, tagged, made an administrator, banned and let in again',
  async () => {
    const { page, complaints } = await openAsAdmin(people());
    await page.getByRole('heading', { name: 'Library' }).waitFor();
    await page.getByRole('region', { name: 'Administrators' }).getByText('Owner').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('lovel');
    await page.waitForURL('**/people?q=lovel');
    await page.getByText('1 person wrote here').waitFor();
    await page.getByRole('table', { name: 'People' }).getByRole('link', { name: 'Ada Lovelace' }).press('Enter');
    const panel = page.getByRole('region', { name: 'Person' });
    await panel.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    await panel.getByText('@ada').first().waitFor();
    await panel.getByText('First message here').waitFor();
    await panel.getByRole('link', { name: 'Shop EU' }).waitFor();

    await panel.getByRole('list', { name: 'Suggested tags' }).getByRole('button').press('Enter');
    await panel.getByRole('button', { name: 'Remove the tag refund' }).waitFor();
    await panel.getByLabel('New tag').fill('vip');
    await page.keyboard.press('Enter');
    await panel.getByRole('button', { name: 'Remove the tag vip' }).waitFor();
    await panel.getByRole('button', { name: 'Remove the tag refund' }).click();
    await panel.getByRole('button', { name: 'Remove the tag refund' }).waitFor({ state: 'detached' });

    await panel.getByRole('button', { name: 'Make an administrator…' }).click();
    const promoting = page.getByRole('dialog', { name: 'Make this person an administrator?' });
    await promoting.getByLabel('Pin messages').uncheck();
    await promoting.getByRole('button', { name: 'Make an administrator' }).click();
    await panel.getByRole('button', { name: 'Title…' }).click();
    expect(await statusOf(ADA)).toBe('administrator');
    const titling = page.getByRole('dialog', { name: 'Title…' });
    await titling.getByLabel('Title next to the name').fill('Librarian');
    await page.keyboard.press('Enter');
    await panel.getByText('Librarian', { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Remove as administrator…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await panel.getByRole('button', { name: 'Make an administrator…' }).waitFor();
    expect(await statusOf(ADA)).toBe('member');

    await panel.getByRole('button', { name: 'Ban…', exact: true }).click();
    const banning = page.getByRole('dialog', { name: 'Ban this person from the chat?' });
    await banning.getByLabel('For how long').selectOption('for a day');
    await picture(page, 'person-ban');
    await banning.getByRole('button', { name: 'Ban', exact: true }).click();
    await banning.waitFor({ state: 'detached' });
    expect(await statusOf(ADA)).toBe('kicked');
    await panel.getByRole('region', { name: 'Actions here' }).getByText('Banned').waitFor();
    await panel.getByRole('button', { name: 'Lift a ban…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lift the ban' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await statusOf(ADA)).not.toBe('kicked');
    await page.goto(`${suite.fleet.url}/console/bots/${desk.id}/chats/${group}/audit`);
    const audit = page.getByRole('table', { name: 'Audit' });
    await audit.getByText('Lifted a ban').waitFor();
    await audit.getByRole('link', { name: 'Made an administrator' }).first().press('Enter');
    const entry = page.getByRole('complementary', { name: 'Made an administrator' });
    await entry.getByText('Address', { exact: true }).waitFor();
    await page.waitForURL(/\/audit\?open=\d+$/);
    await page.keyboard.press('Escape');
    await entry.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'what the platform refuses is said in words, and an owner cannot be touched',
  async () => {
    const { control } = suite.fleet;
    const { page } = await openAsAdmin(`${people()}?user=${CLEO}`);
    await page.getByText('The bot cannot change this administrator').waitFor();
    await page.goto(`${suite.fleet.url}/console/${people()}?user=${BORIS}`);
    await control.setMember({ chat: group, bot: desk.platformId, status: 'member' });
    try {
      await page.getByRole('region', { name: 'Person' }).getByRole('button', { name: 'Ban…', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click();
      await page.getByText('The bot may not do this here.').waitFor();
      await picture(page, 'person-refused');
    } finally {
      await control.setMember({ chat: group, bot: desk.platformId, status: 'administrator' });
    }
    expect(await statusOf(BORIS)).toBe('member');
  },
  TEST_MS,
);

test(
  'words are found in all chats and in one chat, marked, with filters in the address, and lead to the message',
  async () => {
    const { page, complaints } = await openAsAdmin('search');
    await page.getByText('What are you looking for?').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('order');
    await page.getByText('3 messages', { exact: true }).waitFor();
    const all = page.getByRole('table', { name: 'Messages found' });
    expect(await all.locator('mark').allTextContents()).toEqual(['order', 'order', 'order']);
    await all.getByText('Library').first().waitFor();
    await page.getByRole('combobox', { name: 'Person' }).fill('lovel');
    await page.getByRole('option', { name: 'Ada Lovelace' }).click();
    await page.waitForURL(`**/search?q=order&user=${ADA}`);
    await page.getByText('2 messages', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear: Person' }).click();
    await page.getByText('3 messages', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Bot' }).fill('help');
    await page.getByRole('option', { name: 'Help desk' }).click();
    await page.getByRole('combobox', { name: 'Chat' }).click();
    await page.getByRole('option', { name: 'Library' }).click();
    await page.waitForURL(`**/search?q=order&bot=${desk.id}&chat=${group}`);
    await page.getByText('2 messages', { exact: true }).waitFor();
    const table = page.getByRole('table', { name: 'Messages found' });
    await table.getByText('The <img src=x onerror=alert(1)>').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await page.getByLabel('Words').fill('cafe ord');
    await page.getByText('1 message', { exact: true }).waitFor();
    expect(await table.locator('mark').allTextContents()).toEqual(['Café', 'order']);
    await page.getByLabel('Words').fill('');
    await table.getByText('Please be patient').waitFor();
    await page.getByRole('combobox', { name: 'Person' }).fill('bor');
    await page.getByRole('option', { name: 'Boris' }).click();
    await page.getByText('1 message', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('1 message', { exact: true }).waitFor();
    const exported = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    expect((await exported).suggestedFilename()).toBe(`chat${group}.csv`);
    const [newest] = await suite.fleet.rest<{ id: number }[]>(
      `/api/messages?bot_id=${desk.id}&chat_id=${group}&user_id=${BORIS}`,
    );
    await table.getByRole('link').first().click();
    await page.waitForURL(`**/inbox/${desk.id}/${group}?around=${newest!.id}`);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the palette finds chats, people, messages, rules and settings in both languages, and leads to them',
  async () => {
    await suite.fleet.rest('/api/routes/add', {
      ...{ source_bot_id: shop.id, target_bot_id: desk.id, condition_type: 'keyword', condition_value: 'wholesale' },
      ...{ action: 'copy', target_chat_id: group, description: 'To the library' },
    });
    const { page, complaints } = await openAsAdmin();
    const palette = page.getByRole('dialog');
    const inGroup = (group: string) => palette.getByRole('group', { name: group }).getByRole('option');
    const look = async (text: string) => {
      await page.keyboard.press('Control+k');
      await palette.getByRole('combobox').fill(text);
    };
    await look('order');
    await inGroup('Messages').filter({ hasText: 'my Café order?' }).waitFor();
    expect(await inGroup('Messages').locator('mark').allTextContents()).toEqual(['order', 'order', 'order']);
    await inGroup('Messages').filter({ hasText: 'An order, please' }).click();
    await page.waitForURL(`**/inbox/${shop.id}/${ADA}?around=*`);
    await look('order');
    await palette.getByRole('option', { name: 'All messages with “order”' }).click();
    await page.waitForURL('**/search?q=order');
    await look('libr');
    await inGroup('Chats').filter({ hasText: 'Library' }).click();
    await page.waitForURL(`**/inbox/${desk.id}/${group}`);
    await look('bor');
    await inGroup('People').filter({ hasText: 'Boris' }).click();
    await page.waitForURL(`**/bots/${desk.id}/chats/${group}/people?user=${BORIS}`);
    await look('whole');
    await inGroup('Rules').filter({ hasText: 'wholesale' }).click();
    await page.waitForURL(`**/bots/${shop.id}/rules`);
    await page.getByText('Has the word “wholesale”').waitFor();
    // On the page of a bot its own settings are meant; elsewhere the bot is chosen first.
    await look('секрет');
    await inGroup('Settings').filter({ hasText: 'Secret token' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/bots/${shop.id}/settings#secret`);
    await waitFor(() => page.evaluate<boolean>('document.activeElement.type === "password"'));
    await page.goto(`${suite.fleet.url}/console/`);
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    await look('backend url');
    await inGroup('Settings').filter({ hasText: 'Backend URL' }).click();
    await palette.getByRole('combobox', { name: 'Backend URL: of which bot?' }).fill('help');
    await inGroup('Bots').filter({ hasText: 'Help desk' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/bots/${desk.id}/settings#url`);
    await look('nothing like this');
    await palette.getByText('No results').waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a bot and a chat have statistics, with when they were taken and the period in the address',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${desk.id}/statistics`);
    const heat = page.getByRole('table', { name: 'Updates by weekday and hour' });
    await waitFor(
      async () => {
        await page.reload();
        await heat.waitFor();
        return (await heat.locator('.heat-4').count()) > 0;
      },
      { timeoutMs: TEST_MS / 3 },
    );
    await page.getByRole('link', { name: '30 days' }).click();
    await page.waitForURL('**/statistics?days=30');
    await page.getByRole('region', { name: 'Totals' }).getByText('Received').waitFor();
    await page.getByRole('img', { name: /^Updates by day\./ }).waitFor();
    await page.goto(`${suite.fleet.url}/console/bots/${desk.id}/chats/${group}/statistics`);
    await page.getByRole('link', { name: '14 days' }).click();
    await page.waitForURL('**/statistics?days=14');
    await page.getByRole('heading', { name: 'Messages of the last 14 days' }).waitFor();
    const heatOfChat = page.getByRole('table', { name: 'Messages of the last 12 weeks by weekday and hour' });
    await heatOfChat.locator('.heat-4').first().waitFor();
    const top = page.getByRole('region', { name: 'Most active people' });
    await top.getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByRole('region', { name: 'Person' }).getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'an account sees nothing of a foreign bot, by address neither',
  async () => {
    const { page, signIn, answers } = await open(`bots/${shop.id}/chats/${ADA}/people`);
    await signIn(moderator.username, moderator.password);
    await page.getByText('There is no such bot, or it is not among yours.').waitFor();
    await page.goto(`${suite.fleet.url}/console/search?q=please`);
    await page.getByText('1 message', { exact: true }).waitFor();
    await page.goto(`${suite.fleet.url}/console/search?bot=${shop.id}&chat=${ADA}`);
    await page.getByText('Something went wrong.').waitFor();
    expect(answers.map(({ text }) => text).join()).not.toContain('An order, please');
  },
  TEST_MS,
);

testLooks('a chat’s people, search and statistics are accessible and fit the window', suite, async (one, lookAt) => {
  const { page, signIn } = one;
  const visit = (path: string) => page.goto(`${suite.fleet.url}/console/${path}`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await visit(people());
  await page.getByRole('table', { name: 'People' }).getByRole('link').first().waitFor();
  await page.getByText('Owner', { exact: true }).waitFor();
  await lookAt('chat-people');
  await visit(`${people()}?user=${ADA}`);
  const panel = page.getByRole('region', { name: 'Person' });
  await panel.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await panel.getByRole('button', { name: 'Make an administrator…' }).waitFor();
  await panel.getByText('First message here').waitFor();
  await lookAt('person');
  await panel.getByRole('button', { name: 'Make an administrator…' }).click();
  await page.getByRole('dialog').waitFor();
  await lookAt('person-promote');
  await visit('search?q=order');
  await page.locator('mark').first().waitFor();
  await lookAt('search-chats');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('order');
  await page.getByRole('dialog').locator('mark').first().waitFor();
  await lookAt('palette-found');
  await page.keyboard.press('Escape');
  await visit(`search?q=order&bot=${desk.id}&chat=${group}`);
  await page.locator('mark').first().waitFor();
  await lookAt('search-chat');
  await visit(`bots/${desk.id}/statistics`);
  await page.getByRole('table', { name: 'Updates by weekday and hour' }).waitFor();
  await lookAt('statistics-bot');
  await visit(`bots/${desk.id}/chats/${group}/statistics`);
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
  await page.locator('.heat-4').first().waitFor();
  await lookAt('statistics-chat');
});
