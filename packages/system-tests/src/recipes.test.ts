import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const RECIPES = join(import.meta.dirname, '../../../docs/recipes');

let fleet: Fleet;
let bot: FleetBot;
let ada: number;
const scripts: ChildProcess[] = [];

beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 1 });
  bot = await fleet.addBot({ long_poll_enabled: true });
  ada = (await fleet.control.createPerson({ firstName: 'Ada' })).id;
  await fleet.control.startBot({ person: ada, bot: bot.platformId, quietly: true });
}, 60_000);
afterAll(async () => {
  for (const script of scripts) script.kill('SIGKILL');
  await fleet?.stop();
}, 60_000);

/** The text of the first block of code in this language. */
async function blockOf(page: string, language: string): Promise<string> {
  const text = await readFile(join(RECIPES, page), 'utf8');
  const [, block] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
  if (block === undefined) throw new Error(`${page} has no ${language}`);
  return block;
}

const say = (text: string) => fleet.control.sendMessage({ person: ada, bot: bot.platformId, text });
const said = async () => {
  const { messages } = await fleet.control.readChat({ person: ada, bot: bot.platformId });
  return messages.flatMap(({ text, from }) =>
    (from as { id: number } | undefined)?.id === bot.platformId ? [text] : [],
  );
};

test('the Python script answers with a token of its own, and goes on after a kill', async () => {
  const program = await fleet.rest<{ id: number }>('/api/programs/add', {
    bot_id: bot.id,
    name: 'script',
    mode: 'pull',
  });
  const wanted = { program_id: program.id, name: 'script', methods: ['read', 'send'] };
  const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', wanted);
  const file = join(await throwAwayDir(), 'echo.py');
  await writeFile(file, await blockOf('python-script.md', 'python'));
  const start = () => {
    // Nothing else is in its environment.
    const env = { PATH: inheritedEnv().PATH, API_ROOT: `${fleet.url}/tgapi`, PROGRAM_TOKEN: token };
    const script = spawn('python3', [file], { env, stdio: ['ignore', 'inherit', 'inherit'] });
    scripts.push(script);
    return script;
  };
  const script = start();
  await say('one');
  await waitFor(async () => (await said()).length === 1, { message: 'the answer' });
  const ended = new Promise((resolve) => script.once('exit', resolve));
  script.kill('SIGKILL');
  await ended;
  await say('two');
  await say('three');
  start();
  await waitFor(async () => (await said()).includes('You said: three'), {
    timeoutMs: 30_000,
    message: 'the other answers',
  });
  // What was answered before the kill was not acknowledged, so it may be answered again, as at the platform.
  expect([...new Set(await said())]).toEqual(['You said: one', 'You said: two', 'You said: three']);
}, 120_000);
