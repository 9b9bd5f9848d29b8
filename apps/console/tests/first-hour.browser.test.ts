import { type ChildProcess, exec, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { BROWSER_START_MS, type Browser, type Page, startBrowser } from '@flotilla/testing/browser.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { layoutFaults } from './layout-faults.ts';
import { openConsole, picture } from './open-console.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_MS = 120_000;
const TEST_MS = 180_000;

let browser: Browser;
let folder: string;
let sandbox: ChildProcess;
let program: ChildProcess | undefined;
let output = '';

beforeAll(async () => {
  browser = await startBrowser();
}, BROWSER_START_MS);
beforeAll(async () => {
  folder = await throwAwayDir();
  const { HOST: _, ...environment } = inheritedEnv();
  sandbox = spawn(process.execPath, ['apps/flotilla/src/launch.mjs', '--demo', '--empty'], {
    cwd: ROOT,
    env: { ...environment, PORT: '0', DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [sandbox.stdout!, sandbox.stderr!]) stream.on('data', (chunk) => (output += chunk));
  await waitFor(() => /^ready$/m.test(output) || sandbox.exitCode !== null, { timeoutMs: START_MS });
}, START_MS);
afterAll(async () => {
  if (program?.pid !== undefined) process.kill(-program.pid, 'SIGKILL');
  await browser?.close();
  const ended = once(sandbox, 'close');
  sandbox.kill('SIGTERM');
  await ended;
  await removeDir(folder);
}, TEST_MS);

const printed = (pattern: RegExp) => pattern.exec(output)![1]!;

/** What a person does with the button: copies, and pastes elsewhere. */
async function copied(page: Page, name: string): Promise<string> {
  const button = page.getByRole('button', { name, exact: true });
  await page.evaluate("navigator.clipboard.writeText('')");
  await button.click();
  const read = () => page.evaluate<string>('navigator.clipboard.readText()');
  await waitFor(async () => (await read()) !== '');
  return read();
}

/** The page that a link opens. */
async function openedBy(page: Page, name: string): Promise<Page> {
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name }).click();
  return opened;
}

/** Does in a terminal what the second step of the console says for grammY. */
async function startProgram(page: Page): Promise<void> {
  const home = join(folder, 'bot');
  await promisify(exec)(`mkdir ${home}`);
  await symlink(join(ROOT, 'node_modules'), join(home, 'node_modules'));
  await writeFile(join(home, 'bot.mjs'), await copied(page, 'Copy: bot.mjs'));
  const env = inheritedEnv();
  program = spawn('sh', ['-c', await copied(page, 'Copy: Run it with the token.')], {
    cwd: home,
    detached: true,
    env: { ...env, PATH: [dirname(process.execPath), env.PATH].join(delimiter) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

test(
  'an empty sandbox leads from no bot to a program that has taken the first message of Ada',
  async () => {
    const console_ = await openConsole(browser, printed(/Flotilla runs at +(\S+)/));
    const { page, context, complaints } = console_;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(printed(/sign in once +(\S+)/));
    await page.getByRole('link', { name: 'Add the first bot' }).waitFor();
    expect(page.url()).not.toContain('sign-in');
    await page.getByRole('link', { name: 'Add the first bot' }).waitFor();
    const tooEarly = await openedBy(page, 'Try it as a user');
    await tooEarly.getByRole('heading', { name: 'There is no bot yet.' }).waitFor();
    expect(await tooEarly.getByRole('link', { name: 'Console' }).getAttribute('href')).toContain('/console/');
    await page.getByRole('link', { name: 'Add the first bot' }).click();

    const line = await copied(page, 'Copy the line that makes a bot');
    const { stdout } = await promisify(exec)(line);
    const { token, username } = JSON.parse(stdout) as { token: string; username: string };
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByText(`This is My first bot @${username}`).waitFor();
    await picture(page, 'first-hour-token');
    await page.getByRole('button', { name: 'Add bot' }).click();

    await page.getByRole('heading', { name: 'Connect the program of My first bot' }).waitFor();
    await startProgram(page);
    await picture(page, 'first-hour-waiting');
    await tooEarly.getByRole('link', { name: 'My first bot' }).waitFor();
    const phone = await openedBy(page, 'Write as Ada');
    await phone.getByRole('heading', { name: 'My first bot' }).waitFor();
    await phone.getByRole('button', { name: 'Start' }).click();
    const log = phone.getByRole('log');
    await log.getByText('You said: /start').waitFor();
    await phone.getByRole('textbox', { name: 'Message' }).fill('Where is my order?');
    await phone.keyboard.press('Enter');
    await log.getByText('You said: Where is my order?').waitFor();
    await picture(phone, 'first-hour-phone');

    await page.getByText('The first update has arrived.').waitFor();
    await page.getByText('Where is my order?').waitFor();
    await page.getByText(/^Your program accepted it and answered [\d,]+ ms later\.$/).waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await picture(page, `first-hour-taken-${width}`);
      const faults = [...(await layoutFaults(page)), ...(await console_.faults())];
      expect({ width, shown: await page.evaluate('document.documentElement.scrollWidth'), faults }).toEqual({
        ...{ width, shown: width, faults: [] },
      });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    // The link of the navigation leads to this bot as well.
    const address = await page.getByRole('link', { name: 'Try it as a user' }).getAttribute('href');
    expect(new URL(address!).searchParams.get('bot')).toBe(username);
    await page.getByRole('link', { name: 'Open bot' }).click();
    await page.getByRole('heading', { name: 'My first bot' }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);
