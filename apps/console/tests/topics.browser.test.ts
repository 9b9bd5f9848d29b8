import type { MessageResource } from '@flotilla/contract/messages.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { RoutingRuleResource } from '@flotilla/contract/routing-rules.ts';
import type { TopicResource } from '@flotilla/contract/topics.ts';
import type { Page } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { picture } from './open-console.ts';

const ADA = 9_020;
const HOSTILE = '<b onclick=alert(1)>‮repair</b> 修理 إصلاح with a name that is much longer than its place in the list';

let desk: FleetBot;
let forum: number;
let hull: number;
let odd: number;
let order: number;

const suite = consoleSuite({ apis: 1, workers: 1 });

beforeAll(async () => {
  const { fleet } = suite;
  const { control } = fleet;
  desk = await fleet.addBot({ long_poll_enabled: true, silent_after_s: 0 }, { name: 'Desk', topics: true });
  await control.createPerson({ id: ADA, firstName: 'Ada' });
  const admins = [{ bot: desk.platformId }];
  const wanted = { type: 'supergroup', title: 'Dry dock', forum: true, creator: ADA, admins } as const;
  forum = (await control.createChat(wanted)).id;
  const makeTopic = async (name: string) => (await control.createTopic({ person: ADA, chat: forum, name })).topic;
  [hull, odd] = [await makeTopic('Hull'), await makeTopic(HOSTILE)];
  await say(undefined, 'Welcome to the dock');
  await say(hull, 'The hull is dry');
  await say(odd, 'This is odd');
  order = (await control.createTopic({ person: ADA, bot: desk.platformId, name: 'My order' })).topic;
  await control.sendMessage({ person: ADA, bot: desk.platformId, topic: order, text: 'Where is it?' });
  await asBot('closeForumTopic', { chat_id: forum, message_thread_id: odd });
  await waitFor(
    async () => (await topics()).some(({ closed }) => closed) && (await topics(ADA))[0]?.name === 'My order',
    {
      timeoutMs: 60_000,
    },
  );
}, TEST_MS);

const say = (topic: number | undefined, text: string) =>
  suite.fleet.control.sendMessage({ person: ADA, chat: forum, ...(topic === undefined ? {} : { topic }), text });
const topics = (chat = forum) => suite.fleet.rest<TopicResource[]>(`/api/topics?bot_id=${desk.id}&chat_id=${chat}`);
const stored = (topic: number) =>
  suite.fleet.rest<MessageResource[]>(`/api/messages?bot_id=${desk.id}&chat_id=${forum}&thread_id=${topic}`);
async function asBot(method: string, params: object): Promise<void> {
  const url = `${suite.fleet.url}/tgapi/bot${desk.token}/${method}`;
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(params) })).status).toBe(200);
}

const tree = (page: Page) => page.getByRole('list', { name: 'Topics' });
const articles = (page: Page) => page.getByRole('article');
const texts = (page: Page) => articles(page).allInnerTexts();

test(
  'a forum shows its topics below its chat; a topic shows its messages only, and what is written goes there',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('inbox');
    await page.getByRole('link', { name: /^Dry dock/ }).click();
    await articles(page).filter({ hasText: 'Welcome to the dock' }).waitFor();
    await tree(page).getByRole('link', { name: /^Hull/ }).waitFor();
    const names = await tree(page).getByRole('link').locator('bdi').allTextContents();
    expect([names[0], names.toSorted()]).toEqual(['General', ['General', 'Hull', HOSTILE].toSorted()]);
    const closed = tree(page).getByRole('link').filter({ hasText: HOSTILE });
    expect(await closed.getByTitle('closed').count()).toBe(1);
    expect(await page.locator('b').filter({ hasText: 'repair' }).count()).toBe(0);

    await tree(page).getByRole('link', { name: /^Hull/ }).click();
    await page.waitForURL(`**/inbox/${desk.id}/${forum}?topic=${hull}`);
    await articles(page).filter({ hasText: 'The hull is dry' }).waitFor();
    expect((await texts(page)).join(' ')).not.toMatch(/Welcome|odd/);
    await page.getByRole('textbox', { name: /^Write as/ }).fill('Then paint it');
    await page.keyboard.press('Control+Enter');
    await articles(page).filter({ hasText: 'Then paint it' }).waitFor();
    expect((await stored(hull)).map(({ text }) => text)).toContain('Then paint it');

    await waitFor(
      async () => {
        await say(odd, 'Not here');
        await say(hull, 'It is painted');
        return waitFor(async () => (await texts(page)).some((text) => text.includes('It is painted')));
      },
      { timeoutMs: 30_000 },
    );
    expect((await texts(page)).join(' ')).not.toContain('Not here');

    await page.getByRole('combobox', { name: 'Topic' }).selectOption('General');
    await articles(page).filter({ hasText: 'Welcome to the dock' }).waitFor();
    await page.getByRole('textbox', { name: /^Write as/ }).fill('Hello all');
    await page.keyboard.press('Control+Enter');
    await articles(page).filter({ hasText: 'Hello all' }).waitFor();
    expect((await stored(1)).map(({ text }) => text)).toContain('Hello all');
    await page.getByRole('combobox', { name: 'Topic' }).selectOption('All topics');
    await articles(page).filter({ hasText: 'Not here' }).first().waitFor();
    await articles(page).filter({ hasText: 'Hello all' }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a private chat with topics shows them, and a draft stays with its topic',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`inbox/${desk.id}/${ADA}?topic=${order}`);
    await articles(page).filter({ hasText: 'Where is it?' }).waitFor();
    const field = page.getByRole('textbox', { name: /^Write as/ });
    await field.fill('On its way');
    await page.getByRole('combobox', { name: 'Topic' }).selectOption('All topics');
    await page.waitForURL(`**/inbox/${desk.id}/${ADA}`);
    expect(await field.inputValue()).toBe('');
    await page.getByRole('combobox', { name: 'Topic' }).selectOption('My order');
    await waitFor(async () => (await field.inputValue()) === 'On its way');
    await field.press('Control+Enter');
    await articles(page).filter({ hasText: 'On its way' }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a program is filtered by topics, and a rule by one of them',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`bots/${desk.id}/rules`);
    await page.getByRole('button', { name: 'Add a rule…' }).click();
    const form = page.getByRole('dialog', { name: 'Add a rule' });
    await form.getByRole('combobox', { name: 'If', exact: true }).selectOption('it is in a chat');
    await form.getByRole('combobox', { name: 'Chat', exact: true }).fill('dry');
    await page.getByRole('option', { name: /Dry dock/ }).click();
    await form.getByRole('combobox', { name: 'If', exact: true }).selectOption('it is in a topic of a chat');
    await form.getByRole('combobox', { name: 'Then' }).selectOption({ label: 'Drop: keeps it from the backend' });
    await form.getByRole('button', { name: 'Save' }).click();
    const topic = form.getByRole('combobox', { name: 'Topic' });
    await waitFor(async () => (await topic.getAttribute('aria-invalid')) === 'true');
    await topic.click();
    const offered = page.getByRole('listbox').getByRole('option');
    await offered.filter({ hasText: 'Hull' }).waitFor();
    const names = (await offered.locator('bdi').allTextContents()).toSorted();
    expect(names).toEqual(['Outside every topic', 'General', 'Hull', HOSTILE].toSorted());
    await topic.fill('hul');
    await offered.filter({ hasText: 'General' }).waitFor({ state: 'detached' });
    await offered.filter({ hasText: 'Hull' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText(/In topic .?Dry dock · Hull/).waitFor();
    const values = async () => {
      const rules = await suite.fleet.rest<RoutingRuleResource[]>(`/api/routes?bot_id=${desk.id}`);
      return rules.map((rule) => `${rule.condition_type} ${rule.condition_value}`);
    };
    expect(await values()).toEqual([`thread_id ${forum}:${hull}`]);

    await page.getByRole('button', { name: 'Edit…' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit the rule' });
    const shown = (name: string) => edit.getByRole('combobox', { name, exact: true });
    await waitFor(async () => (await shown('Topic').inputValue()) === 'Hull');
    await waitFor(async () => (await shown('Chat').inputValue()) === 'Dry dock');
    await picture(page, 'rule-topic');
    await shown('Topic').fill('77777');
    await page.keyboard.press('Tab');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    expect(await values()).toEqual([`thread_id ${forum}:77777`]);
    await page.getByRole('button', { name: 'Edit…' }).click();
    await shown('Topic').fill('outside');
    await page.getByRole('option', { name: 'Outside every topic' }).click();
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/In chat .?Dry dock.?, outside every topic/).waitFor();
    expect(await values()).toEqual([`thread_id ${forum}:0`]);

    const added = { bot_id: desk.id, name: 'hull', filter: { chat_ids: [forum] } };
    const { id } = await suite.fleet.rest<ProgramResource>('/api/programs/add', added);
    await page.goto(`${suite.fleet.url}/console/bots/${desk.id}/programs`);
    await page.getByRole('link', { name: 'hull', exact: true }).click();
    await page.getByRole('complementary', { name: 'hull' }).getByRole('button', { name: 'Edit…' }).click();
    const program = page.getByRole('dialog', { name: 'Edit program' });
    await program.getByRole('button', { name: 'Hull', exact: true }).click();
    expect(await program.getByRole('textbox', { name: 'In one of these topics' }).inputValue()).toBe(String(hull));
    await program.getByRole('button', { name: 'Save' }).click();
    await page.getByText('in 1 topic').first().waitFor();
    expect(await suite.fleet.rest(`/api/programs/show?id=${id}`)).toMatchObject({
      filter: { chat_ids: [forum], thread_ids: [hull] },
    });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('topics are accessible and fit the window', suite, async ({ page, signIn }, lookAt) => {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/inbox/${desk.id}/${forum}?topic=${odd}`);
  await articles(page).filter({ hasText: 'This is odd' }).waitFor();
  await page.getByRole('combobox', { name: 'Topic' }).or(page.locator('.phone-head')).first().waitFor();
  await lookAt('topics');
  await page.goto(`${suite.fleet.url}/console/inbox/${desk.id}/${forum}`);
  await articles(page).filter({ hasText: 'This is odd' }).waitFor();
  await lookAt('topics-all');
});
