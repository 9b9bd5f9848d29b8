import type { RoutingRuleResource } from '@flotilla/contract/routing-rules.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';

const ADA = 9_010;
const LONG_NAME = 'Отдел доставки и возвратов — مكتب الشحن — 配送サポート — Shipping and returns of the whole north';

let source: FleetBot;
let desk: FleetBot;

const suite = consoleSuite({ apis: 1, workers: 1 });

beforeAll(async () => {
  const { fleet } = suite;
  source = await fleet.addBot({ long_poll_enabled: true, silent_after_s: 0 }, { name: 'Reception' });
  desk = await fleet.addBot({ description: 'Parcels and deliveries' }, { name: LONG_NAME });
  await fleet.addBot({ description: 'Invoices and refunds' }, { name: 'Billing' });
  await fleet.control.createPerson({ id: ADA, firstName: 'Ada' });
  for (const { platformId: bot } of [source, desk]) await fleet.control.startBot({ person: ADA, bot, quietly: true });
}, TEST_MS);

const say = (text: string) => suite.fleet.control.sendMessage({ person: ADA, bot: source.platformId, text });
const rules = () => suite.fleet.rest<RoutingRuleResource[]>(`/api/routes?bot_id=${source.id}`);

test(
  'a rule lets the router choose among named bots, tells what it would choose, and what it chose',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`bots/${source.id}/rules`);
    await page.getByRole('button', { name: 'Add a rule…' }).click();
    const form = page.getByRole('dialog', { name: 'Add a rule' });
    await form
      .getByRole('combobox', { name: 'If', exact: true })
      .selectOption('no other rule acts: the router chooses a bot');
    await form.getByRole('radio', { name: 'Selected bots' }).check();
    await form.getByRole('combobox', { name: 'Add bot' }).fill('配送');
    await page.getByRole('option', { name: /配送サポート/ }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('by its candidate, if the description fits').waitFor();
    expect(await rules()).toMatchObject([
      { condition_type: 'llm', target_bot_id: 0, candidate_bot_ids: [desk.id], action: 'copy', target_chat_id: 0 },
    ]);

    await page.getByRole('textbox', { name: 'Text of the message' }).fill('Where is my parcel?');
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('1 rule would act.').waitFor();
    await page.getByText('parcel', { exact: true }).waitFor();

    const decisions = page.getByRole('region', { name: 'Decisions of the router' });
    await decisions.getByText('The router has not been asked yet.').waitFor();
    await say('Where is my parcel?');
    await decisions.getByText(LONG_NAME).waitFor({ timeout: TEST_MS / 2 });
    await say('And when does it come?');
    await decisions.getByText('as before in this chat').waitFor({ timeout: TEST_MS / 2 });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('rules of the router are accessible and fit the window', suite, async ({ page, signIn }, lookAt) => {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/bots/${source.id}/rules`);
  await page.getByText('as before in this chat').first().waitFor();
  await lookAt('router');
  await page.getByRole('button', { name: 'Edit…' }).click();
  await page.getByRole('dialog', { name: 'Edit the rule' }).waitFor();
  await lookAt('router-rule');
});
