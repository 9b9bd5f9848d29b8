import { administer, testDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS } from './console-suite.ts';

const EXPIRED = 2_000;
/** When the process is ready: with such a clock it is not. */
const WRONG_CLOCK = "process.on('SIGUSR2', () => { const now = Date.now; Date.now = () => now() + 600_000; })";

const SETTINGS = { RETENTION_EVENTS_DAYS: '1', TELEGRAM_UPSTREAMS: 'local=http://127.0.0.1:9;proxy=direct' };

/** What has expired is there before the worker, which looks at its start and then once an hour. */
const suite = consoleSuite({ apis: 1, workers: 1 }, SETTINGS, async () => {
  const database = await testDatabase();
  await administer(
    database.url,
    `insert into events (kind, text, at) select 'bot.added', 'old', now() - interval '3 days' from generate_series(1, ${EXPIRED});
    analyze events`,
  );
  return { database };
});

test(
  'an unusual removal waits on the screen System until an admin confirms it, and then it is done',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('system');
    const panel = page.getByRole('region', { name: 'Removals to confirm' });
    await panel.getByText(/about [\d,]+ rows, from before/).waitFor({ timeout: 60_000 });
    await panel.getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog', { name: /^Remove about [\d,]+ rows of events\?$/ });
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await panel.waitFor({ state: 'detached' });
    const left = () => suite.database.db.selectFrom('events').select('id').where('text', '=', 'old').execute();
    await waitFor(async () => (await left()).length === 0, { timeoutMs: 60_000 });
    await page.goto(`${suite.fleet.url}/console/events`);
    await page
      .getByText(/rows of events would go, far more than is usual/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  },
  2 * TEST_MS,
);

test(
  'a process whose clock is wrong is named on the screen System for as long as it runs',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('system');
    await page.getByRole('heading', { name: /^Processes/ }).waitFor();
    const preload = `--import=data:text/javascript,${encodeURIComponent(WRONG_CLOCK)}`;
    const wrong = await suite.fleet.start('worker', { WORKER_ROLES: 'upkeep', NODE_OPTIONS: preload });
    process.kill(wrong.pid, 'SIGUSR2');
    const notice = page.getByText('These clocks differ from that of Redis.');
    await notice.waitFor({ timeout: 60_000 });
    expect(await notice.textContent()).toMatch(/worker \S+ \(.+\): (599|600|601) s/);
    await wrong.stop();
    await notice.waitFor({ state: 'detached', timeout: 60_000 });
    expect(complaints).toEqual([]);
  },
  2 * TEST_MS,
);

test(
  'Bot API servers are listed, and a bot that is added is at the chosen one, in the chosen environment',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('system');
    const servers = page.getByRole('region', { name: 'Bot API servers' });
    await servers.getByText('http://127.0.0.1:9').waitFor();
    const { token } = await suite.fleet.control.createBot({ test: true });
    await page.goto(`${suite.fleet.url}/console/bots/add`);
    await page.getByRole('radio', { name: /^default/ }).check();
    await page.getByRole('radio', { name: /^Test/ }).check();
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByRole('button', { name: 'Add bot' }).click();
    await page.waitForURL(/bot=\d+/);
    const id = new URL(page.url()).searchParams.get('bot');
    await page.goto(`${suite.fleet.url}/console/bots/${id}/settings`);
    await page.getByText('default, test environment').waitFor();
    await page.goto(`${suite.fleet.url}/console/system`);
    await servers.getByText('Answers').waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);
