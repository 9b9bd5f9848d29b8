import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';
import { picturePng } from './media-files.ts';

const [ADA, MAX, ZOE] = [7_101, 7_102, 7_103];
const CROWD = 400;

const suite = consoleSuite({ apis: 1, workers: 1 });
let bot: FleetBot;
let group: number;
let crowd: number;
let news: number;

beforeAll(async () => {
  const { control } = suite.fleet;
  bot = await suite.fleet.addBot({}, { name: 'Harbour', username: 'harbour_bot' });
  const names = { [ADA]: 'Ada', [MAX]: HOSTILE.arabic, [ZOE]: HOSTILE.word };
  for (const [id, firstName] of Object.entries(names)) await control.createPerson({ id: Number(id), firstName });
  const face = (hue: number) => ({ bot: bot.platformId, base64: picturePng(hue, [160, 160]), name: 'a.png' });
  await control.setPhoto({ person: ADA, ...face(30) });
  await control.setPhoto({ person: ZOE, ...face(150) });
  const admins = [{ bot: bot.platformId }];
  const members = [ADA, MAX, ZOE];
  group = (await control.createChat({ type: 'supergroup', title: 'Quay', members, admins })).id;
  crowd = (await control.createChat({ type: 'supergroup', title: 'Crowd', members, admins })).id;
  news = (await control.createChat({ type: 'channel', title: 'News', members, admins })).id;
  const said = [
    [ADA, 'Who has the key?'],
    [ADA, 'I looked everywhere.'],
    [MAX, 'مرحبا بالجميع'],
    [ZOE, HOSTILE.cyrillic],
    [ADA, 'Found it'],
  ] as const;
  for (const [person, text] of said) await control.sendMessage({ person, chat: group, text });
  await control.sendMessage({ person: ADA, chat: news, text: 'The harbour is open', inNameOf: news });
  await waitFor(async () => (await suite.fleet.rest<unknown[]>('/api/chats?order=recent')).length === 2, {
    timeoutMs: 60_000,
  });
  const now = Math.floor(Date.now() / 1000);
  await storeMessages(
    suite.database.db,
    bot.id,
    Array.from({ length: CROWD }, (_, at) => ({
      ...{ chat_id: crowd, id: at + 1, date: now - (CROWD - at) * 60, user_id: 60_000 + at },
      ...{ username: null, first_name: `Person ${at}`, text: `I am number ${at}` },
    })),
  );
}, TEST_MS);

const chat = (id: number) => `inbox/${bot.id}/${id}`;

test(
  'in a group the face of a sender is beside the first message of each run, and initials where there is no photo',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(chat(group));
    const messages = page.getByRole('article');
    const ofAda = messages.filter({ hasText: 'Who has the key?' }).locator('.avatar');
    await ofAda.locator('img').waitFor({ timeout: 30_000 });
    expect(await ofAda.locator('img').getAttribute('src')).toBe(
      `/api/users/photo?bot_id=${bot.id}&chat_id=${group}&user_id=${ADA}`,
    );
    expect(await messages.filter({ hasText: 'I looked everywhere.' }).locator('.avatar').count()).toBe(0);
    const left = async (text: string) => (await messages.filter({ hasText: text }).locator('.bubble').boundingBox())!.x;
    expect(await left('I looked everywhere.')).toBe(await left('Who has the key?'));
    const ofMax = messages.filter({ hasText: 'مرحبا بالجميع' }).locator('.avatar');
    expect(await ofMax.getAttribute('data-initials')).not.toBe('');
    // What is written from right to left stands at the right, also in a page that is not.
    const gaps: number[] = await page.evaluate(`(() => {
      const text = [...document.querySelectorAll('.text')].find((one) => one.textContent === 'مرحبا بالجميع');
      const range = document.createRange();
      range.selectNodeContents(text);
      const [said, bubble] = [range.getBoundingClientRect(), text.parentElement.getBoundingClientRect()];
      return [said.left - bubble.left, bubble.right - said.right];
    })()`);
    expect(gaps[0]).toBeGreaterThan(gaps[1]!);
    await messages.filter({ hasText: 'Found it' }).locator('.avatar img').waitFor();
    expect(await ofMax.locator('img').count()).toBe(0);
    await ofAda.click();
    const person = page.getByRole('complementary', { name: 'Person' });
    await person.locator('.avatar img').waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the posts of a channel stand without a face',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(chat(news));
    const post = page.getByRole('article').filter({ hasText: 'The harbour is open' });
    await post.waitFor();
    expect(await post.locator('.avatar').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'in a large group only those who stay on the screen are asked for, two at a time',
  async () => {
    const { page, complaints } = await suite.openAsAdmin();
    const asked: string[] = [];
    let answer = () => {};
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/users/photo?*', async (route) => {
      asked.push(route.request().url());
      await mayAnswer;
      await route.continue();
    });
    await page.goto(`${suite.fleet.url}/console/${chat(crowd)}`);
    await page
      .getByRole('article')
      .filter({ hasText: `I am number ${CROWD - 1}` })
      .waitFor();
    await waitFor(() => asked.length === 2, { timeoutMs: 30_000 });
    const atTheTop = async () => {
      await page.evaluate("document.querySelector('.feed').scrollBy(0, -1200)");
      return (await page.locator('[data-message="1"]').count()) > 0;
    };
    await waitFor(atTheTop, { timeoutMs: 60_000, message: 'the first message' });
    expect(asked).toHaveLength(2);
    answer();
    await waitFor(() => asked.some((url) => url.endsWith('user_id=60000')), { timeoutMs: 30_000 });
    expect(asked.length).toBeLessThanOrEqual(2 + (await page.getByRole('article').count()));
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('a group with faces fits every look', suite, async (one, lookAt) => {
  const { page } = one;
  await one.signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/${chat(group)}`);
  await page.locator('.sender > .avatar img').first().waitFor();
  await lookAt('inbox-faces');
});
