import type { BroadcastResource } from '@flotilla/contract/broadcasts.ts';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';
import { stopPolling, wouldPoll } from './open-console.ts';

const PEOPLE = [9_031, 9_032, 9_033] as const;
const GRACE = { username: 'grace', password: 'a password of grace', role: 'user', rights: ['broadcast'] } as const;
const ADA = { username: 'ada', password: 'a password of ada', role: 'user' } as const;

let bot: FleetBot;

const suite = consoleSuite({ apis: 1, workers: 1 });

beforeAll(async () => {
  const { fleet } = suite;
  bot = await fleet.addBot({}, { name: HOSTILE.word });
  for (const [at, id] of PEOPLE.entries()) {
    await fleet.control.createPerson({ id, firstName: Object.values(HOSTILE)[at + 1]! });
    await fleet.control.startBot({ person: id, bot: bot.platformId });
  }
  const chats = () => fleet.rest<ChatResource[]>(`/api/chats?bot_id=${bot.id}`);
  await waitFor(async () => (await chats()).length === PEOPLE.length, { message: 'the chats' });
  const vip = { bot_id: bot.id, chat_id: PEOPLE[0], user_id: PEOPLE[0], username: 'ada', tag: 'VIP' };
  await fleet.rest('/api/tags/add', vip);
  for (const account of [GRACE, ADA]) await fleet.rest('/api/auth/users/add', { ...account, bot_ids: [bot.id] });
}, TEST_MS);
beforeEach(async () => {
  await suite.database.db.deleteFrom('outbox').execute();
  await suite.database.db.deleteFrom('broadcasts').execute();
});

const sentTo = async (text: string) => {
  const { calls } = await suite.fleet.control.readCalls({ bot: bot.platformId, method: 'sendMessage' });
  return calls.filter(({ params }) => String(params.text).includes(text)).map(({ params }) => Number(params.chat_id));
};

/** A broadcast that has been going on, with failures. */
async function insertBroadcast(name: string): Promise<number> {
  const { db } = suite.database;
  const began = new Date(Date.now() - 600_000);
  const text = `<b>${HOSTILE.word}</b> ${HOSTILE.cyrillic} <a href="https://shop.example/sale">${HOSTILE.chinese}</a>`;
  const { id } = await db
    .insertInto('broadcasts')
    .values({
      ...{ bot_id: bot.id, name, method: 'sendMessage', messages: 1, state: 'paused', started_at: began, made: true },
      ...{ audience: { chat_types: ['private'], tags: [HOSTILE.cyrillic], exclude_blocked: true } },
      params: {
        text,
        parse_mode: 'HTML',
        reply_markup: { inline_keyboard: [[{ text: HOSTILE.word, url: 'https://a.example' }]] },
      },
      ...{ total: 12_400, sent: 3_150, failed: 2, blocked: 38, in_doubt: 1, cancelled: 0 },
      created_by: { accountId: 1, username: 'admin' },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const BLOCKED = { error_code: 403, error: 'Forbidden: bot was blocked by the user' };
  const LONG = { error_code: 400, error: `Bad Request: ${HOSTILE.word}` };
  const entries = [BLOCKED, BLOCKED, LONG].map((failure, at) => ({
    ...{
      bot_id: bot.id,
      broadcast_id: id,
      chat_id: at + 1,
      method: 'sendMessage',
      params: {},
      state: 'failed' as const,
    },
    ...{ settled_at: new Date(), ...failure },
  }));
  await db.insertInto('outbox').values(entries).execute();
  return id;
}

test(
  'a user with the right counts, looks, tries and sends a broadcast, and sees it end',
  async () => {
    const { page, signIn, complaints } = await suite.open('broadcasts');
    await signIn(GRACE.username, GRACE.password);
    await page.getByText('No broadcasts yet').waitFor();
    await page.getByRole('link', { name: 'New broadcast' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Choose a bot.').first().waitFor();
    await page.getByText('Give it a name.').waitFor();
    await page.getByRole('combobox', { name: 'Bot' }).click();
    await page.getByRole('option', { name: HOSTILE.word }).click();
    await page.getByLabel('Name', { exact: true }).fill('Sale');

    await page.getByLabel('Format').selectOption('HTML');
    await page.getByLabel('Text', { exact: true }).fill('A <b>sale</b> at https://shop.example/now');
    const looks = page.getByRole('region', { name: 'As the chat shows it' });
    expect(await looks.locator('b').textContent()).toBe('sale');
    await looks.getByText('Telegram shows a preview of shop.example').waitFor();
    await page.getByLabel('Text', { exact: true }).fill('A <b>sale');
    await page.getByText('The formatting is wrong here').waitFor();
    await page.getByLabel('Text', { exact: true }).fill('A <b>sale</b> today');

    const trying = page.getByRole('region', { name: 'Try it in one chat' });
    await trying.getByRole('combobox', { name: 'Chat' }).fill(String(PEOPLE[0]));
    await trying.getByRole('option').first().click();
    await trying.getByRole('button', { name: 'Send a test' }).click();
    await trying.getByText('Sent', { exact: true }).waitFor();
    expect(await sentTo('A <b>sale</b> today')).toEqual([PEOPLE[0]]);

    await page.getByRole('button', { name: 'First name' }).click();
    await looks.getByText('sale today Ada').or(looks.getByText('todayAda')).first().waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('3 chats would get it now.').waitFor();
    await page.getByLabel('Tags', { exact: true }).fill('nobody has this');
    await page.getByText('0 chats would get it now.').waitFor();
    await page.getByLabel('Tags', { exact: true }).fill('');
    await page.getByRole('button', { name: /^VIP/ }).click();
    await page.getByText('1 chat would get it now.').waitFor();
    await page.getByRole('button', { name: /^VIP/ }).click();
    await page.getByText('3 chats would get it now.').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();

    await page.getByRole('button', { name: 'Send…' }).click();
    await page.getByRole('dialog', { name: 'Send to 3 chats?' }).waitFor();
    await page.getByRole('button', { name: 'Send to 3 chats' }).click();
    await page.getByRole('heading', { name: 'Sale' }).waitFor();
    await page.getByText('Done').waitFor();
    await page.getByText('3 of 3').waitFor();
    expect((await sentTo('A <b>sale</b> today')).toSorted()).toEqual([PEOPLE[0], ...PEOPLE]);
    expect(await sentTo('{first_name')).toEqual([]);
    await page.getByRole('link', { name: 'All entries in the outbox' }).click();
    await page.getByText('Broadcast: Sale').waitFor();
    await page.getByText('3 match').waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a file goes to the chats of a list from a file, and was sent to one chat first, where it is gone again',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`broadcasts/add?bot=${bot.id}`);
    await page.getByLabel('Name', { exact: true }).fill('Price list');
    const form = page.getByRole('region', { name: 'Message', exact: true });
    await form.getByRole('combobox', { name: 'Chat that the file goes to first' }).fill(String(PEOPLE[2]));
    // Not of a plain list of choices.
    await page.locator('[role=option]').first().click();
    const file = { name: 'prices.txt', mimeType: 'text/plain', buffer: Buffer.from('shoes 20') };
    await form.locator('input[type=file]').setInputFiles(file);
    await form.getByText('prices.txt').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();

    await page.getByLabel('A list', { exact: true }).check();
    // A table with a head, a chat twice and one that the bot does not know.
    const table = `id,name\n${PEOPLE[0]},Ada\n${PEOPLE[1]},Bob\n${PEOPLE[0]},Ada\n404,Nobody\n`;
    const list = { name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(table) };
    await page.locator('input[type=file]').setInputFiles(list);
    await page.getByText('2 chats would get it now.').waitFor();
    await page
      .getByRole('combobox', { name: 'List' })
      .getByText('customers.csv · 3 chats')
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Send…' }).click();
    await page.getByRole('button', { name: 'Send to 2 chats' }).click();
    await page.getByText('2 of 2').waitFor();

    const { calls } = await suite.fleet.control.readCalls({ bot: bot.platformId, method: 'sendDocument' });
    const [first, ...sent] = calls.map(({ params }) => ({ chat: Number(params.chat_id), file: params.document }));
    expect(first!.chat).toBe(PEOPLE[2]);
    expect(sent.map(({ chat }) => chat).toSorted()).toEqual([PEOPLE[0], PEOPLE[1]]);
    // Only the first call carried the bytes.
    expect(sent.every((call) => typeof call.file === 'string' && call.file.length > 0)).toBe(true);
    const removed = await suite.fleet.control.readCalls({ bot: bot.platformId, method: 'deleteMessage' });
    expect(removed.calls.map(({ params }) => Number(params.chat_id))).toEqual([PEOPLE[2]]);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'one that is scheduled is paused, goes on, and is ended; a user without the right only looks',
  async () => {
    const { fleet } = suite;
    const { id } = await fleet.rest<BroadcastResource>('/api/broadcasts/add', {
      ...{ bot_id: bot.id, name: 'Later', audience: { chat_ids: [...PEOPLE] } },
      ...{ method: 'sendMessage', params: { text: 'Later' }, send_at: new Date(Date.now() + 3_600_000).toISOString() },
    });
    const { page, complaints } = await suite.openAsAdmin(`broadcasts/${id}`);
    await page.getByText('3 chats by id').waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Text', { exact: true }).fill('Even later');
    for (let step = 0; step < 2; step += 1) await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('In your time zone').waitFor();
    await page.getByRole('button', { name: 'Schedule…' }).click();
    await page.getByRole('button', { name: 'Schedule it' }).click();
    await page.getByText('Even later').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Scheduled').waitFor();
    await page.getByRole('button', { name: 'End it…' }).click();
    await page.getByRole('button', { name: 'End the broadcast' }).click();
    await page.getByText('Cancelled').first().waitFor();
    expect(complaints).toEqual([]);

    const user = await suite.open('');
    await user.signIn(ADA.username, ADA.password);
    const navigation = user.page.getByRole('navigation', { name: 'Screens' });
    await navigation.getByRole('link', { name: 'Outbox' }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Broadcasts' }).count()).toBe(0);
    await user.page.goto(`${fleet.url}/console/broadcasts/${id}`);
    await user.page.getByRole('heading', { name: 'Later' }).waitFor();
    expect(await user.page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    await user.page.goto(`${fleet.url}/console/broadcasts/add`);
    await user.page.getByText('Page not found').waitFor();
  },
  TEST_MS,
);

test(
  'a broadcast whose answer was lost is not sent twice by a second press; its end comes by the stream',
  async () => {
    const { fleet } = suite;
    const { page } = await suite.openAsAdmin(`broadcasts/add?bot=${bot.id}`);
    await stopPolling(page);
    await page.getByLabel('Name', { exact: true }).fill('Once');
    await page.getByLabel('Text', { exact: true }).fill('Only once');
    for (let step = 0; step < 2; step += 1) await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Send…' }).click();
    const send = page.getByRole('button', { name: 'Send to 3 chats' });
    await send.waitFor();
    let lost = 0;
    await page.route('**/api/broadcasts/add', async (route) => {
      if (lost > 0 || route.request().postData()?.includes('dry_run')) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort();
    });
    await send.click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await send.click();
    await page.getByRole('heading', { name: 'Once' }).waitFor();
    await page.getByText('3 of 3').waitFor();
    await page.getByText('Done').waitFor();
    expect(await wouldPoll(page)).toBe(true);
    expect(await fleet.rest('/api/broadcasts')).toHaveLength(1);
    expect((await sentTo('Only once')).toSorted()).toEqual([...PEOPLE]);
  },
  TEST_MS,
);

test(
  'why chats did not get it is grouped, the most frequent reason first',
  async () => {
    const id = await insertBroadcast('Old news');
    const { page, complaints } = await suite.openAsAdmin(`broadcasts/${id}`);
    const failures = page.getByRole('region', { name: 'Not received' });
    const rows = failures.getByRole('row');
    await failures.getByText('The person has blocked the bot.').waitFor();
    expect(await rows.nth(1).textContent()).toContain('2');
    expect(await rows.nth(2).textContent()).toContain('Bad Request');
    expect(await failures.getByRole('link', { name: 'Export as CSV' }).count()).toBe(1);
    await failures.getByRole('link', { name: '1 Write to these chats' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Again');
    await page.getByLabel('Text', { exact: true }).fill('Once more');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('radio', { name: `Chats that broadcast ${id} did not reach` }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByText('3,191 of 12,400').waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('broadcasts are accessible and fit the window', suite, async ({ page, signIn }, lookAt) => {
  await insertBroadcast(HOSTILE.cyrillic);
  const id = await insertBroadcast(HOSTILE.word);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/broadcasts`);
  await page.getByText(HOSTILE.cyrillic).first().waitFor();
  await lookAt('broadcasts');
  await page.goto(`${suite.fleet.url}/console/broadcasts/${id}`);
  await page.locator('.failures').waitFor();
  await lookAt('broadcast');
  await page.goto(`${suite.fleet.url}/console/broadcasts/add?bot=${bot.id}`);
  await page.locator('textarea').fill(`*${HOSTILE.word}* _${HOSTILE.chinese}_ https://shop.example/1`);
  await page.locator('.message-options select').first().selectOption('HTML');
  await lookAt('broadcast-new');
  await page.getByLabel('Name', { exact: true }).fill(HOSTILE.word);
  await page.locator('.message-options select').first().selectOption('plain');
  await page.locator('form [type=submit]').click();
  await page.locator('.audience-count strong').waitFor();
  await lookAt('broadcast-people');
  await page.locator('form [type=submit]').click();
  await page.getByRole('radio').last().click();
  await lookAt('broadcast-time');
});
