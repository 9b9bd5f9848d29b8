import type { ChatResource } from '@flotilla/contract/chats.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { Page } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS } from './console-suite.ts';

const [OWNER, OTHER_OWNER] = [9_201, 9_202];
/** Ada writes to the bot and to both accounts, Ben to one of them, Cleo to both. */
const [ADA, BEN, CLEO] = [9_210, 9_211, 9_212];

let bot: FleetBot;
let backend: TestBackend;
let first: string;
let second: string;

const suite = consoleSuite({ apis: 1, workers: 1 });

beforeAll(async () => {
  const { control } = suite.fleet;
  backend = await startBackend();
  const fields = { proxy_enabled: true, backend_url: backend.url };
  bot = await suite.fleet.addBot(fields, { name: 'Desk', username: 'desk_bot' });
  for (const [id, firstName] of [
    [OWNER, 'Olga'],
    [OTHER_OWNER, 'Oscar'],
    [ADA, 'Ada'],
    [BEN, 'Ben'],
    [CLEO, 'Cleo'],
  ] as const) {
    await control.createPerson({ id, firstName });
  }
  ({ connectionId: first } = await control.connectBusiness({ person: OWNER, bot: bot.platformId }));
  ({ connectionId: second } = await control.connectBusiness({ person: OTHER_OWNER, bot: bot.platformId }));
  await control.startBot({ person: ADA, bot: bot.platformId, quietly: true });
  await control.sendMessage({ person: ADA, bot: bot.platformId, text: 'to the bot' });
  await write(ADA, first, 'to Olga');
  await write(ADA, second, 'to Oscar');
  await write(BEN, first, 'a word of Ben');
  await write(CLEO, first, 'a word of Cleo');
  await write(CLEO, second, 'another word of Cleo');
  await waitFor(async () => (await chats()).length === 6, { timeoutMs: 60_000 });
}, TEST_MS);
afterAll(() => backend?.stop());

const write = (person: number, connectionId: string, text: string) =>
  suite.fleet.control.writeToBusiness({ person, bot: bot.platformId, connectionId, text });
const chats = () => suite.fleet.rest<ChatResource[]>(`/api/chats?bot_id=${bot.id}&order=recent`);
const textsOf = async (connectionId: string) => {
  const chat = await suite.fleet.control.readBusinessChat({ person: ADA, bot: bot.platformId, connectionId });
  return chat.messages.map(({ text }) => text);
};
const row = (page: Page, last: string) => page.getByRole('link').filter({ hasText: last });
const field = (page: Page) => page.getByRole('textbox', { name: /^Write as/ });
const shown = (page: Page) => page.getByRole('region', { name: 'Chat', exact: true });

test(
  'a person who writes to the bot and to two accounts has three chats, and each answer goes where it is typed',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('inbox');
    const answered = [
      ['to Olga', 'from Olga'],
      ['to Oscar', 'from Oscar'],
      ['to the bot', 'from the bot'],
    ] as const;
    for (const [last, answer] of answered) {
      await row(page, last).first().click();
      await row(page, last).and(page.locator('[aria-current="page"]')).waitFor();
      expect(await page.locator('.chat-row[aria-current="page"]').count()).toBe(1);
      await shown(page).getByText(last, { exact: true }).waitFor();
      for (const [other] of answered) {
        if (other !== last) expect(await shown(page).getByText(other, { exact: true }).count()).toBe(0);
      }
      await field(page).fill(answer);
      await field(page).press('Control+Enter');
      await shown(page).getByRole('article').getByText(answer, { exact: true }).waitFor();
    }
    expect(await textsOf(first)).toEqual(['to Olga', 'from Olga']);
    expect(await textsOf(second)).toEqual(['to Oscar', 'from Oscar']);
    await waitFor(async () => (await chats()).filter(({ id }) => id === ADA).every((chat) => !chat.awaits_answer));
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'taking one conversation over keeps only that one from the bot',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`inbox/${bot.id}/${ADA}?connection=${second}`);
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('menuitem', { name: '30 minutes' }).click();
    await page.getByText('You have taken over').waitFor();
    await write(ADA, second, 'for people');
    await write(ADA, first, 'still for the bot');
    await suite.fleet.control.sendMessage({ person: ADA, bot: bot.platformId, text: 'for the bot itself' });
    const got = (text: string) => backend.requests.some((request) => request.text.includes(text));
    await waitFor(() => got('still for the bot') && got('for the bot itself'));
    await page.getByRole('button', { name: 'Hand back to bot 1 update missed' }).waitFor();
    expect(got('for people')).toBe(false);
    const held = (await chats()).filter((chat) => chat.held_by !== undefined);
    expect(held).toMatchObject([{ id: ADA, business_connection_id: second }]);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'an address without a connection leads to the only conversation of a person, or asks which',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`inbox/${bot.id}/${BEN}`);
    await shown(page).getByText('a word of Ben', { exact: true }).waitFor();
    expect(page.url()).toContain(`connection=${first}`);
    await page.goto(new URL(`${CLEO}`, page.url()).href);
    await shown(page).getByText('This person writes to several accounts').waitFor();
    await shown(page).getByRole('link', { name: second }).click();
    await shown(page).getByText('another word of Cleo', { exact: true }).waitFor();
    // The first answers of the api are refusals.
    expect(complaints.filter((text) => !/40[49]/.test(text))).toEqual([]);
  },
  TEST_MS,
);
