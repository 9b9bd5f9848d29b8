import type { Page } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';

const GRACE = ['grace', 'a password of grace'] as const;
const [ADA, BEN, LONG] = [9_101, 9_102, 9_103];

const suite = consoleSuite({ apis: 1, workers: 1 });
const { open, openAsAdmin } = suite;
const clients: Client[] = [];
let desk: FleetBot;
let shop: FleetBot;
let grace: number;

beforeAll(async () => {
  const { fleet } = suite;
  const polled = { long_poll_enabled: true, silent_after_s: 0 };
  desk = await fleet.addBot(polled, { name: 'Help desk', username: 'helpdesk_bot' });
  shop = await fleet.addBot(polled, { name: HOSTILE.word, username: 'shop_eu_bot' });
  for (const [id, firstName] of [
    [ADA, 'Ada'],
    [BEN, 'Ben'],
    [LONG, HOSTILE.cyrillic],
  ] as const) {
    await fleet.control.createPerson({ id, firstName });
    for (const bot of [desk, shop]) await fleet.control.startBot({ person: id, bot: bot.platformId });
  }
  const account = { username: GRACE[0], password: GRACE[1], display_name: 'Grace', role: 'user', bot_ids: [desk.id] };
  grace = (await fleet.rest<{ id: number }>('/api/auth/users/add', { ...account, must_change_password: false })).id;
  const isStored = async () => (await fleet.rest<object[]>('/api/chats')).length === 6;
  await waitFor(isStored, { timeoutMs: TEST_MS });
}, TEST_MS);
afterAll(() => Promise.all(clients.map((client) => client.close())));

/** Opens the form of a new key and chooses what it is for. */
async function begin(page: Page, name: string, purpose: string) {
  await page.getByRole('button', { name: 'Create key' }).click();
  const form = page.getByRole('dialog', { name: 'Create key' });
  await form.getByLabel('Name').fill(name);
  await form.getByLabel(purpose).check();
  return form;
}

type Form = Awaited<ReturnType<typeof begin>>;

/** The chats that the form offers for a text, as their names and bots: so many, all of this name. */
async function offered(form: Form, typed: string, name: string, count: number): Promise<string[]> {
  await form.getByRole('combobox', { name: 'Add chat' }).fill(typed);
  const options = form.getByRole('listbox', { name: 'Add chat' }).getByRole('option');
  const isFound = async () => {
    const texts = await options.allTextContents();
    return texts.length === count && texts.every((text) => text.startsWith(name));
  };
  await waitFor(isFound, { message: `${count} chats` });
  return options.allTextContents();
}

/** A client that is set as the JSON of the page says. */
async function connect(json: string): Promise<Client> {
  const { flotilla } = (
    JSON.parse(json) as { mcpServers: { flotilla: { url: string; headers: Record<string, string> } } }
  ).mcpServers;
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(flotilla.url), { requestInit: { headers: flotilla.headers } }),
  );
  clients.push(client);
  return client;
}

async function use(client: Client, name: string, input: object) {
  const answer = await client.callTool({ name, arguments: input as Record<string, unknown> });
  return { refused: answer.isError === true, text: (answer.content as { text: string }[])[0]?.text ?? '' };
}

test(
  'a key for an agent is made by keyboard, sets its client as the page says, and sees exactly the chats that were chosen',
  async () => {
    const { page, complaints } = await openAsAdmin('access?view=keys');
    const form = await begin(page, 'Deploy agent', 'An agent (MCP) that reads and writes');
    await form.getByRole('button', { name: 'Create' }).press('Enter');
    await form.getByText('Choose at least one chat').waitFor();
    expect(await offered(form, 'ada', 'Ada', 2)).toEqual(
      expect.arrayContaining([expect.stringContaining('Help desk'), expect.stringContaining(HOSTILE.word)]),
    );
    await form.getByRole('option', { name: 'Help desk' }).click();
    await offered(form, 'ben', 'Ben', 2);
    await form.getByRole('option', { name: HOSTILE.word }).click();
    await offered(form, String(LONG), HOSTILE.cyrillic, 2);
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: `Without ${HOSTILE.cyrillic}` }).press('Enter');
    await form.getByRole('button', { name: 'Without Ada · Help desk' }).waitFor();
    await form.getByRole('button', { name: 'Create' }).press('Enter');

    const once = page.getByRole('dialog', { name: 'Your new key' });
    const key = (await once.locator('.secret').textContent())!;
    const line = (name: string) => once.getByRole('listitem').filter({ hasText: name }).locator('code').textContent();
    const url = `${suite.fleet.url}/mcp`;
    expect(await line('Claude Code')).toBe(
      `claude mcp add --transport http flotilla ${url} --header "Authorization: Bearer ${key}"`,
    );
    const client = await connect((await line('Clients configured by JSON'))!);
    await once.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await once.waitFor({ state: 'detached' });
    expect((await page.content()).includes(key)).toBe(false);

    const { chats } = JSON.parse((await use(client, 'list_chats', {})).text) as {
      chats: { bot_id: number; chat_id: number }[];
    };
    expect(chats.map(({ bot_id: bot, chat_id: chat }) => [bot, chat])).toEqual([
      [desk.id, ADA],
      [shop.id, BEN],
    ]);
    const send = (bot: FleetBot, chat: number) =>
      use(client, 'send_message', { bot_id: bot.id, chat_id: chat, text: 'Hello from the agent' });
    for (const [bot, chat, refused] of [
      [desk, ADA, false],
      [shop, BEN, false],
      [desk, BEN, true],
      [shop, ADA, true],
    ] as const) {
      expect((await send(bot, chat)).refused).toBe(refused);
    }

    const row = page.getByRole('row').filter({ hasText: 'Deploy agent' });
    await row.getByText('MCP', { exact: true }).waitFor();
    await row.getByText('Reads and writes').waitFor();
    await row.getByText('2 chats').waitFor();
    await page.reload();
    await row.getByText(/ago$/).waitFor();
    await row.getByRole('link', { name: 'Deploy agent' }).press('Enter');
    const details = page.getByRole('complementary', { name: 'Deploy agent' });
    await details.getByRole('link', { name: 'Ben' }).waitFor();
    await details.getByRole('link', { name: 'Ada' }).click();
    await page.waitForURL(`**/inbox/${desk.id}/${ADA}`);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a key that reads has no tools that write; a person is offered own chats only, and an admin those of the account',
  async () => {
    const { page, signIn, complaints, answers } = await open('access?view=keys');
    await signIn(...GRACE);
    const form = await begin(page, 'Reader', 'An agent (MCP) that only reads');
    expect((await offered(form, 'ada', 'Ada', 1))[0]).toContain('Help desk');
    await page.keyboard.press('Enter');
    await form.getByLabel('Expires').selectOption('on a date');
    await form.getByRole('textbox', { name: 'on a date' }).fill('2040-01-01');
    await form.getByRole('button', { name: 'Create' }).click();
    const once = page.getByRole('dialog', { name: 'Your new key' });
    const json = await once.getByRole('listitem').filter({ hasText: 'JSON' }).locator('code').textContent();
    const tools = (await (await connect(json!)).listTools()).tools.map(({ name }) => name);
    expect([tools.includes('get_history'), tools.includes('send_message')]).toEqual([true, false]);
    expect(answers.some(({ url }) => url.includes('/api/auth/users'))).toBe(false);

    const admin = await openAsAdmin(`access?view=keys&account=${grace}`);
    await admin.page.getByRole('row').filter({ hasText: 'Reader' }).getByText('Ada').waitFor();
    const ofGrace = await begin(admin.page, 'For Grace', 'A program that calls the REST API');
    const roles = ofGrace.getByLabel('Role').getByRole('option');
    await waitFor(async () => (await roles.allTextContents()).join() === 'Same as the account,User');
    await ofGrace.getByLabel('An agent (MCP) that reads and writes').check();
    expect((await offered(ofGrace, 'ada', 'Ada', 1))[0]).toContain('Help desk');
    expect([...complaints, ...admin.complaints]).toEqual([]);
  },
  TEST_MS,
);

testLooks('keys for agents are accessible and fit the window', suite, async ({ page, signIn }, lookAt) => {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/access?view=keys`);
  const form = await begin(page, HOSTILE.chinese, 'An agent (MCP) that only reads');
  await offered(form, String(LONG), HOSTILE.cyrillic, 2);
  await lookAt('mcp-key-chats');
  await page.keyboard.press('Enter');
  await form.getByRole('button', { name: `Without ${HOSTILE.cyrillic}` }).waitFor();
  await lookAt('mcp-key-form');
  await form.getByRole('button', { name: 'Create' }).click();
  const once = page.getByRole('dialog').filter({ hasText: 'Claude Code' });
  await once.waitFor();
  await lookAt('mcp-key-once');
  await once.getByRole('button', { name: 'I have saved it' }).click();
  const link = page.getByRole('link', { name: HOSTILE.chinese }).first();
  await link.waitFor();
  await lookAt('mcp-keys');
  await link.press('Enter');
  await page.getByRole('complementary').getByRole('link', { name: HOSTILE.cyrillic }).waitFor();
  await lookAt('mcp-key-details');
});
