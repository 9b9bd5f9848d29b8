import type { RoutingRuleResource } from '@flotilla/contract/routing-rules.ts';
import type { Page } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';
import { picture } from './open-console.ts';

const ADA = 777;

const suite = consoleSuite({ apis: 1, workers: 1 });
let desk: FleetBot;
let group: number;
let ids: number[];

beforeAll(async () => {
  const { fleet } = suite;
  const { control } = fleet;
  desk = await fleet.addBot({}, { name: 'Help desk', username: 'helpdesk_bot' });
  await control.createPerson({ id: ADA, firstName: 'Ada', lastName: 'Lovelace' });
  const admins = [{ bot: desk.platformId }];
  group = (await control.createChat({ type: 'supergroup', title: HOSTILE.word, members: [ADA], admins })).id;
  await control.sendMessage({ person: ADA, chat: group, text: 'Hello' });
  const isStored = async () => (await fleet.rest<unknown[]>(`/api/chats?bot_id=${desk.id}`)).length > 0;
  await waitFor(isStored, { timeoutMs: 60_000 });
  const conditions = [
    { condition_type: 'chat_id', condition_value: String(group) },
    { condition_type: 'user_id', condition_value: String(ADA) },
    { condition_type: 'keyword', condition_value: HOSTILE.arabic, action: 'hold' },
  ];
  ids = [];
  for (const condition of conditions) {
    const rule = { source_bot_id: desk.id, action: 'drop', ...condition };
    ids.push((await fleet.rest<RoutingRuleResource>('/api/routes/add', rule)).id);
  }
}, TEST_MS);

const ruleIds = async () =>
  (await suite.fleet.rest<RoutingRuleResource[]>(`/api/routes?bot_id=${desk.id}`)).map(({ id }) => id);
const row = (page: Page, id: number) => page.locator(`[data-rule="${id}"]`);
const address = () => `bots/${desk.id}/rules`;

test(
  'rules name chats and people, and are put in another order by dragging and by keyboard',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(address());
    const [first, second, third] = ids as [number, number, number];
    await row(page, first).getByText(`In chat`).waitFor();
    expect(await row(page, first).textContent()).toContain(HOSTILE.word);
    expect(await row(page, second).textContent()).toContain('Ada Lovelace');
    await row(page, third).dragTo(row(page, first), { targetPosition: { x: 200, y: 4 } });
    await waitFor(async () => String(await ruleIds()) === String([third, first, second]), { timeoutMs: 30_000 });

    const down = row(page, third).getByRole('button', { name: /^Move down/ });
    await down.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Rule 2 of 3').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Rule 3 of 3').waitFor();
    // At the end, a press more changes nothing, and the focus is still there.
    await page.keyboard.press('Enter');
    await waitFor(async () => String(await ruleIds()) === String(ids), { timeoutMs: 30_000 });
    expect(await page.evaluate('document.activeElement.ariaLabel')).toMatch(/^Move down/);
    await page.reload();
    await row(page, first).waitFor();
    expect(
      await page.locator('[data-rule]').evaluateAll((rows) => rows.map((one) => Number(one.dataset.rule))),
    ).toEqual(ids);
    const { control } = suite.fleet;
    await control.sendMessage({ person: ADA, chat: group, text: `${HOSTILE.arabic} again` });
    await row(page, first).getByText('1 hit').waitFor({ timeout: 60_000 });
    await picture(page, 'rules-order');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'in the form chats and people are found by name, and an id that is typed counts when the field is left',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(address());
    await page.getByRole('button', { name: 'Add a rule…' }).click();
    const form = page.getByRole('dialog', { name: 'Add a rule' });
    await form.getByRole('combobox', { name: 'If', exact: true }).selectOption('it is from a user');
    await form.getByRole('combobox', { name: 'User' }).fill('love');
    await page
      .getByRole('listbox')
      .getByRole('option', { name: /Ada Lovelace/ })
      .click();
    await form.getByRole('combobox', { name: 'To chat' }).fill('Wolken');
    await page
      .getByRole('listbox')
      .getByRole('option', { name: new RegExp(HOSTILE.word) })
      .click();
    const recent = form.getByRole('combobox', { name: 'Message', exact: true });
    await recent.selectOption((await recent.locator('option', { hasText: 'Hello' }).getAttribute('value'))!);
    await form.getByRole('button', { name: 'Try' }).click();
    const tried = form.getByRole('status');
    await tried.getByText('An earlier rule drops it').waitFor();
    expect(await tried.textContent()).toContain('Would act');
    await recent.selectOption('');
    await form.getByRole('textbox', { name: 'Text of the message' }).fill('anything');
    expect(await tried.textContent()).toBe('');
    await picture(page, 'rule-tried');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const rules = await suite.fleet.rest<RoutingRuleResource[]>(`/api/routes?bot_id=${desk.id}`);
    const rule = rules.at(-1)!;
    expect(rule).toMatchObject({ condition_type: 'user_id', condition_value: String(ADA), target_chat_id: group });

    await row(page, rule.id).getByRole('button', { name: 'Edit…' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit the rule' });
    expect(await edit.getByRole('combobox', { name: 'User' }).inputValue()).toBe('Ada Lovelace');
    await edit.getByRole('combobox', { name: 'To chat' }).fill('-1009999999999');
    await page.keyboard.press('Tab');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    await row(page, rule.id).getByText('to chat -1009999999999').waitFor();
    await suite.fleet.rest('/api/routes/delete', { id: rule.id });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a rule about a chat is tried with its typed id by the very next press, or by keyboard alone',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(address());
    await page.getByRole('button', { name: 'Add a rule…' }).click();
    const form = page.getByRole('dialog', { name: 'Add a rule' });
    await form.getByRole('combobox', { name: 'If', exact: true }).selectOption({ label: 'it is in a chat' });
    const chat = form.getByRole('combobox', { name: 'Chat', exact: true });
    const tried = form.getByRole('status');
    const toChat = form.getByRole('combobox', { name: 'To chat' });
    // The bot has met neither.
    await chat.fill('-1009999999999');
    await form.getByRole('button', { name: 'Try' }).click();
    await tried.getByText('Fill in').waitFor();
    await toChat.fill('-1008888888888');
    await form.getByRole('button', { name: 'Try' }).click();
    await tried.getByText('Would act').waitFor();
    expect(await chat.inputValue()).toBe('-1009999999999');
    // Enter takes the id and saves nothing yet.
    await chat.fill(String(group));
    await chat.press('Enter');
    await form.getByRole('textbox', { name: 'Text of the message' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await tried.getByText('An earlier rule drops it').waitFor();
    expect(await tried.textContent()).toContain('In chat');
    await picture(page, 'rule-tried-by-id');
    expect((await ruleIds()).length).toBe(ids.length);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('the order of rules fits every look', suite, async ({ page, signIn }, lookAt) => {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/${address()}`);
  await row(page, ids[0]!).waitFor();
  await lookAt('rules-order');
});
