import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { installPackages } from './install-packages.ts';

// The package has no tests in it, so they are taken from its repository.
const REPOSITORY = 'https://github.com/yagop/node-telegram-bot-api.git';
const VERSION = '0.67.0';
const NEEDED = { mocha: '3.5.3', is: '3.3.2', 'is-ci': '1.2.1', 'concat-stream': '1.6.2', 'node-static': '0.7.11' };
const DEFAULT_ROOT = "'https://api.telegram.org'";
const GROUP = -1_001_234_567_890;
const MINUTES = 60_000;

type Case = { fullTitle: string; err: { message?: string } };
type Report = { tests: Case[]; passes: Case[]; failures: Case[]; pending: Case[] };
/** How each case of the suite ended, by its title. */
type Outcomes = Record<string, string>;

const run = promisify(execFile);
let folder: string;
let suite: string;

beforeAll(async () => {
  folder = await installPackages({ 'node-telegram-bot-api': VERSION, ...NEEDED });
  suite = join(folder, 'suite');
  await run('git', ['clone', '--quiet', '--depth', '1', '--branch', `v${VERSION}`, REPOSITORY, suite]);
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The bot and the chats that the suite expects. */
async function settingsOf(control: ControlClient, { id, token }: { id: number; token: string }) {
  const person = await control.createPerson({ firstName: 'Ann' });
  await control.startBot({ person: person.id, bot: id });
  await control.createChat({ id: GROUP, type: 'supergroup', title: 'a group', admins: [{ bot: id }] });
  return { TEST_TELEGRAM_TOKEN: token, TEST_USER_ID: `${person.id}`, TEST_GROUP_ID: `${GROUP}` };
}

/** Runs the suite with another API root and nothing else changed. */
async function outcomesAt(apiRoot: string, settings: Record<string, string>): Promise<Outcomes> {
  const file = join(suite, 'src/telegram.js');
  const source = await readFile(file, 'utf8');
  expect(source).toContain(`|| ${DEFAULT_ROOT}`);
  await writeFile(file, source.replace(`|| ${DEFAULT_ROOT}`, `|| '${apiRoot}'`));
  const mocha = join(folder, 'node_modules/mocha/bin/_mocha');
  // Without its options, which run the sources through Babel for Node 4.
  const args = ['--opts', '/dev/null', '--reporter', 'json', '--timeout', '30000', 'test/telegram.js'];
  const env = { ...inheritedEnv(), ...settings, TEST_PROVIDER_TOKEN: '1:TEST:1', NODE_NO_WARNINGS: '1' };
  const options = { cwd: suite, env, maxBuffer: 1 << 26 };
  const { stdout } = await run(process.execPath, [mocha, ...args], options).catch((error: { stdout: string }) => error);
  await writeFile(file, source);
  const report = JSON.parse(stdout.slice(stdout.indexOf('{\n'))) as Report;
  const outcomes: Outcomes = {};
  for (const { fullTitle } of report.passes) outcomes[fullTitle] = 'passed';
  for (const { fullTitle } of report.pending) outcomes[fullTitle] = 'pending';
  for (const { fullTitle, err } of report.failures)
    outcomes[fullTitle] = `failed: ${sameEverywhere(err.message ?? '')}`;
  return outcomes;
}

/** Without numbers and ids, which differ from run to run. */
function sameEverywhere(message: string): string {
  return message.split('\n', 1)[0]!.replace(/\d+/g, '0');
}

test(
  'the own tests of node-telegram-bot-api end behind Flotilla as they do straight at the platform, case by case',
  async () => {
    const simulator = await startSimulator();
    const control = controlClient(simulator.url);
    const straight = await outcomesAt(simulator.url, await settingsOf(control, await control.createBot({})));
    await simulator.stop();

    const fleet = await startFleet();
    const { token, platformId: id } = await fleet.addBot({ long_poll_enabled: true });
    const behind = await outcomesAt(`${fleet.url}/tgapi`, await settingsOf(fleet.control, { id, token }));
    await fleet.stop();

    expect(Object.keys(straight).length).toBeGreaterThan(100);
    expect(Object.values(straight).filter((outcome) => outcome === 'passed').length).toBeGreaterThan(150);
    expect(behind).toEqual(straight);
  },
  15 * MINUTES,
);
