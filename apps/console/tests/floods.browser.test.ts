import type { BotResource } from '@flotilla/contract/bots.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';

const ADA = 9_021;

let bot: FleetBot;

const suite = consoleSuite({ apis: 1, workers: 1 });

beforeAll(async () => {
  const { control } = suite.fleet;
  bot = await suite.fleet.addBot({ long_poll_enabled: true, silent_after_s: 0 }, { name: 'Town crier' });
  await control.createPerson({ id: ADA, firstName: 'Ada' });
  await control.startBot({ person: ADA, bot: bot.platformId, quietly: true });
}, TEST_MS);

const shown = () => suite.fleet.rest<BotResource>(`/api/bots/show?id=${bot.id}`);

async function flood(seconds: number): Promise<void> {
  const { fleet } = suite;
  await fleet.control.setFloodWait({ bot: bot.platformId, chat: ADA, family: 'send', seconds });
  const url = `${fleet.url}/tgapi/bot${bot.token}/sendMessage?chat_id=${ADA}&text=hear`;
  expect((await fetch(url, { method: 'POST' })).status).toBe(429);
}

test(
  'the page of a bot says that it is flooded, in its badge too, and what its calls do then is a setting',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`bots/${bot.id}`);
    await page.getByRole('heading', { name: 'Town crier' }).waitFor();
    await flood(8);
    await page.getByText(/It accepts all calls again in \d+ sec/).waitFor();
    await page.getByText('Rate limited by Telegram').first().waitFor();
    await page.getByText('It accepts all calls again').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Settings' }).click();
    const sending = page.getByRole('group', { name: 'When Telegram rate limits the bot' });
    expect(await sending.getByLabel('Programs are told, and may go on').isChecked()).toBe(true);
    await sending.getByLabel('Flotilla answers in its place').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await waitFor(async () => (await shown()).flood === 'shield');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('a flood is accessible and fits the window', suite, async ({ page, signIn }, lookAt) => {
  await flood(600);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/bots/${bot.id}`);
  await page
    .getByText(/Rate limited|Лимит/)
    .first()
    .waitFor();
  await lookAt('flooded-bot');
  await page.goto(`${suite.fleet.url}/console/bots/${bot.id}/settings`);
  await page.getByRole('radio').first().scrollIntoViewIfNeeded();
  await lookAt('flood-setting');
});
