import type { QuestionResource } from '@flotilla/contract/questions.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';

const ADA = 9_011;
const LONG_NAME = 'Александра-Виктория Константинопольская — مكتب الشحن — 配送サポート担当者';
const LONG_OPTION = 'Auslieferungsfreigabeverfahrensbeschleunigung jetzt durchführen';

let bot: FleetBot;

const suite = consoleSuite({ apis: 1, workers: 1 });

beforeAll(async () => {
  const { control } = suite.fleet;
  bot = await suite.fleet.addBot({ long_poll_enabled: true, silent_after_s: 0 }, { name: 'Asker' });
  await control.createPerson({ id: ADA, firstName: LONG_NAME.slice(0, 64) });
  await control.startBot({ person: ADA, bot: bot.platformId, quietly: true });
}, TEST_MS);

const ask = (text: string, options: string[]) =>
  suite.fleet.rest<QuestionResource>('/api/questions/add', { bot_id: bot.id, chat_id: ADA, text, options });

test(
  'shows who was asked what, and the answer; an open question is cancelled',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`bots/${bot.id}/questions`);
    await page.getByText('No questions yet').waitFor();
    const { id, message_id: messageId } = await ask('Deploy version 1.4?', [LONG_OPTION, 'Not now']);
    await suite.fleet.control.pressButton({
      person: ADA,
      bot: bot.platformId,
      messageId: messageId as number,
      text: LONG_OPTION,
    });
    const isAnswered = async () =>
      (await suite.fleet.rest<QuestionResource>(`/api/questions/show?id=${id}`)).state === 'answered';
    await waitFor(isAnswered, { message: 'the answer' });
    await ask('And now?', ['Yes', 'No']);
    await page.reload();
    const table = page.getByRole('table', { name: 'Questions' });
    await table.getByText(`${LONG_OPTION} (`).waitFor();
    await table.getByRole('button', { name: 'Withdraw: And now?' }).click();
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await table.getByText('Withdrawn').waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('questions are accessible and fit the window', suite, async ({ page, signIn }, lookAt) => {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/bots/${bot.id}/questions`);
  await page.getByText('Deploy version 1.4?').waitFor();
  await lookAt('questions');
});
