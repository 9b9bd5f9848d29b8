import type { BotResource } from '@flotilla/contract/bots.ts';
import type { RoutingRuleResource } from '@flotilla/contract/routing-rules.ts';
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

test(
  'who saves a form that somebody else saved meanwhile is told who changed what, and chooses',
  async () => {
    const rule = { source_bot_id: bot, condition_type: 'keyword', condition_value: 'refund', action: 'drop' };
    const { id } = await suite.fleet.rest<RoutingRuleResource>('/api/routes/add', rule);
    const [admin, grace] = [await suite.openAsAdmin(`bots/${bot}/rules`), await openAsGrace(`bots/${bot}/rules`)];
    const formOf = async ({ page }: OpenConsole) => {
      await page.locator(`[data-rule="${id}"]`).getByRole('button', { name: 'Edit…' }).click();
      return page.getByRole('dialog', { name: 'Edit the rule' });
    };
    const [theirs, mine] = [await formOf(grace), await formOf(admin)];
    await theirs.getByLabel('Word or phrase').fill('invoice');
    await theirs.getByRole('button', { name: 'Save' }).click();
    await theirs.waitFor({ state: 'detached' });

    await mine.getByLabel('Word or phrase').fill('receipt');
    await mine.getByLabel('Note').fill('Of billing');
    await mine.getByRole('button', { name: 'Save' }).click();
    await mine.getByText('grace changed “If” meanwhile.').waitFor();
    expect(await admin.faults()).toEqual([]);
    await picture(admin.page, 'changed-meanwhile');
    expect(await ruleOf(id)).toMatchObject({ condition_value: 'invoice', description: '' });
    expect(await mine.getByLabel('Word or phrase').inputValue()).toBe('receipt');

    await mine.getByRole('button', { name: 'Show theirs' }).click();
    expect(await mine.getByLabel('Word or phrase').inputValue()).toBe('invoice');
    await mine.getByRole('button', { name: 'Show mine' }).click();
    expect(await mine.getByLabel('Note').inputValue()).toBe('Of billing');
    await mine.getByRole('button', { name: 'Overwrite' }).click();
    await mine.waitFor({ state: 'detached' });
    expect(await ruleOf(id)).toMatchObject({ condition_value: 'receipt', description: 'Of billing' });
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
    await page.getByRole('button', { name: 'Overwrite' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
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
