import type { BotResource } from '@flotilla/contract/bots.ts';
import type { RoutingRuleResource } from '@flotilla/contract/routing-rules.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS } from './console-suite.ts';
import { type OpenConsole, picture } from './open-console.ts';

const GRACE = ['grace', 'a password of grace'] as const;

const suite = consoleSuite({ apis: 1, workers: 0 });
let bot: number;

beforeAll(async () => {
  const { fleet } = suite;
  bot = (await fleet.addBot({ name: 'Desk' }, { name: 'Help desk', username: 'helpdesk_bot' })).id;
  const grace = { username: GRACE[0], password: GRACE[1], role: 'admin', must_change_password: false };
  await fleet.rest('/api/auth/users/add', grace);
}, TEST_MS);

const openAsGrace = async (path: string): Promise<OpenConsole> => {
  const one = await suite.open(path);
  await one.signIn(...GRACE);
  return one;
};
const ruleOf = (id: number) => suite.fleet.rest<RoutingRuleResource>(`/api/routes/show?id=${id}`);
const addRule = async (value: string) => {
  const rule = { source_bot_id: bot, condition_type: 'keyword', condition_value: value, action: 'drop' };
  return (await suite.fleet.rest<RoutingRuleResource>('/api/routes/add', rule)).id;
};
const openRule = async ({ page }: OpenConsole, id: number) => {
  await page.locator(`[data-rule="${id}"]`).getByRole('button', { name: 'Edit…' }).click();
  return page.getByRole('dialog', { name: 'Edit the rule' });
};
/** The audit log counts in whole seconds. */
const OLDER_MS = 3_000;

test(
  'who saves a form that somebody else saved meanwhile is told who changed what, and chooses',
  async () => {
    const id = await addRule('refund');
    await suite.fleet.rest('/api/routes/update', { id, description: 'Before the form was opened' });
    const changedMs = Date.now();
    const [admin, grace] = [await suite.openAsAdmin(`bots/${bot}/rules`), await openAsGrace(`bots/${bot}/rules`)];
    const isOlder = () => Date.now() - changedMs > OLDER_MS;
    await waitFor(isOlder, { timeoutMs: TEST_MS, message: 'the change being older than the form' });
    const [theirs, mine] = [await openRule(grace, id), await openRule(admin, id)];
    await theirs.getByLabel('Word or phrase').fill('invoice');
    await theirs.getByRole('button', { name: 'Save' }).click();
    await theirs.waitFor({ state: 'detached' });

    await mine.getByLabel('Word or phrase').fill('receipt');
    await mine.getByLabel('Note').fill('Of billing');
    await mine.getByRole('button', { name: 'Save' }).click();
    const told = /^.grace. changed “Word or phrase” meanwhile\.$/u;
    await mine.getByRole('alert').filter({ hasText: told }).waitFor();
    expect(await mine.getByRole('alert').locator('time').count()).toBe(0);
    expect(await admin.faults()).toEqual([]);
    await picture(admin.page, 'edit-conflict');
    expect(await ruleOf(id)).toMatchObject({ condition_value: 'invoice', description: 'Before the form was opened' });
    expect(await mine.getByLabel('Word or phrase').inputValue()).toBe('receipt');

    await mine.getByRole('button', { name: 'Show theirs' }).click();
    expect(await mine.getByLabel('Word or phrase').inputValue()).toBe('invoice');
    await mine.getByRole('button', { name: 'Show mine' }).click();
    expect(await mine.getByLabel('Note').inputValue()).toBe('Of billing');
    await mine.getByRole('button', { name: 'Overwrite theirs' }).click();
    await mine.waitFor({ state: 'detached' });
    expect(await ruleOf(id)).toMatchObject({ condition_value: 'receipt', description: 'Of billing' });
    expect([...admin.complaints, ...grace.complaints]).toEqual([]);
  },
  TEST_MS,
);

test(
  'what somebody else changed and the form did not touch stays, also if the rest is overwritten',
  async () => {
    const id = await addRule('refund');
    const update = (changes: object) => suite.fleet.rest('/api/routes/update', { id, ...changes });
    const [admin, grace] = [await suite.openAsAdmin(`bots/${bot}/rules`), await openAsGrace(`bots/${bot}/rules`)];
    const form = await openRule(admin, id);
    const save = form.getByRole('button', { name: 'Save' });
    await update({ condition_value: 'invoice' });
    await form.getByLabel('Note').fill('Of billing');
    await save.click();
    await form.waitFor({ state: 'detached' });
    expect(await ruleOf(id)).toMatchObject({ condition_value: 'invoice', description: 'Of billing' });

    await openRule(admin, id);
    await update({ condition_value: 'bill', enabled: false });
    // Her list is from before.
    await grace.page.reload();
    const theirs = await openRule(grace, id);
    await theirs.getByLabel('Note').fill('Theirs');
    await theirs.getByRole('button', { name: 'Save' }).click();
    await theirs.waitFor({ state: 'detached' });
    await form.getByLabel('Note').fill('Mine');
    await save.click();
    await form.getByText('Somebody else changed “Note” meanwhile.').waitFor();
    await form.getByRole('button', { name: 'Show theirs' }).click();
    await form.getByRole('button', { name: 'Show mine' }).click();
    expect(await form.getByLabel('Word or phrase').inputValue()).toBe('bill');
    await form.getByRole('button', { name: 'Overwrite theirs' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await ruleOf(id)).toMatchObject({ condition_value: 'bill', enabled: false, description: 'Mine' });

    // A value means nothing without its kind of condition.
    await openRule(admin, id);
    await update({ condition_type: 'text' });
    await form.getByLabel('Word or phrase').fill('(');
    await save.click();
    await form.getByText(/changed “If” meanwhile\.$/).waitFor();
    await form.getByRole('button', { name: 'Overwrite theirs' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await ruleOf(id)).toMatchObject({ condition_type: 'keyword', condition_value: '(', description: 'Mine' });
    expect([...admin.complaints, ...grace.complaints]).toEqual([]);
  },
  TEST_MS,
);

test(
  'a setting of a bot that others save meanwhile is not overwritten, and one that nobody else touched is saved',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`bots/${bot}/settings`);
    const shown = () => suite.fleet.rest<BotResource>(`/api/bots/show?id=${bot}`);
    await page.getByLabel('Description', { exact: true }).fill('mine');
    await suite.fleet.rest('/api/bots/update', { id: bot, description: 'theirs', labels: ['north'] });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/changed “Description” meanwhile\./).waitFor();
    expect(await shown()).toMatchObject({ description: 'theirs' });
    await page.getByRole('button', { name: 'Show theirs' }).click();
    expect(await page.getByLabel('Description', { exact: true }).inputValue()).toBe('theirs');
    expect(await page.getByLabel('Labels').inputValue()).toBe('north');
    await page.getByRole('button', { name: 'Overwrite theirs' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.locator('button:focus', { hasText: 'Save' }).waitFor();
    expect(await shown()).toMatchObject({ description: 'mine', labels: ['north'] });

    await page.getByLabel('Description', { exact: true }).fill('mine again');
    await suite.fleet.rest('/api/bots/update', { id: bot, labels: ['south'] });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await shown()).toMatchObject({ description: 'mine again', labels: ['south'] });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);
