import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TOKEN } from '../../../../apps/console/src/screens/add-bot/programs/program.ts';
import { PROGRAMS } from '../../../../apps/console/src/screens/add-bot/programs/programs.ts';
import { openEchoSession, sayText } from '../echo-bots/echo-session.ts';

const MODULES = join(import.meta.dirname, '../../../../node_modules');
const MINUTES = 120_000;

let fleet: Fleet;
const running: ChildProcess[] = [];

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
}, 60_000);
afterAll(async () => {
  for (const { pid } of running) process.kill(-pid!, 'SIGKILL');
  await fleet?.stop();
}, 60_000);

/** The programs in one file: what installs them, the file, and what starts them. */
const IN_FILES = PROGRAMS.flatMap(({ id, steps }) => {
  const at = (root: string) => {
    const [install, file, run] = steps(root).map(({ code }) => code);
    return { install: install!.text, file: { name: file!.name!, text: file!.text }, run: run!.text };
  };
  return steps('').some(({ say }) => say === 'file') ? [{ id, at }] : [];
});
const OF_NODE = IN_FILES.filter(({ at }) => at('').file.name.endsWith('.mjs'));
const OF_PYTHON = IN_FILES.filter(({ at }) => at('').file.name.endsWith('.py'));

/** True if all that a program imports is on this machine. */
function hasImports(text: string): boolean {
  const imports = text.split('\n').filter((line) => /^(import|from) /.test(line));
  return spawnSync('python3', ['-c', imports.join('\n')], { stdio: 'ignore' }).status === 0;
}

/** Does what the console says, with the token of a new bot, and gives what the program answers. */
async function answerOf({ at }: (typeof IN_FILES)[number], text: string): Promise<unknown> {
  const bot = await fleet.addBot({ long_poll_enabled: true });
  const { file, run } = at(`${fleet.url}/tgapi`);
  const folder = await throwAwayDir();
  await symlink(MODULES, join(folder, 'node_modules'));
  await writeFile(join(folder, file.name), file.text);
  const env = inheritedEnv();
  running.push(
    spawn('sh', ['-c', run.replace(TOKEN, bot.token)], {
      cwd: folder,
      detached: true,
      env: { ...env, PATH: [dirname(process.execPath), env.PATH].join(delimiter) },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const said = await sayText(await openEchoSession(fleet.control, bot.platformId), text);
  return said.text;
}

describe.each(OF_NODE)('the program that the console shows for $id', (program) => {
  test(
    'answers as it stands there, with the library that its first line installs',
    async () => {
      const [, library, major] = /^npm install ([\w-]+)(?:@(\d+))?$/.exec(program.at('').install) ?? [];
      const { version } = JSON.parse(await readFile(join(MODULES, library!, 'package.json'), 'utf8'));
      expect(major ?? version.split('.')[0]).toBe(version.split('.')[0]);
      expect(await answerOf(program, 'hello, wörld & <b>')).toBe('You said: hello, wörld & <b>');
    },
    MINUTES,
  );
});

describe.each(OF_PYTHON)('the program that the console shows for $id', (program) => {
  // No package of Debian has these versions: where somebody has installed them, they are run.
  (hasImports(program.at('').file.text) ? test : test.skip)(
    'answers as it stands there',
    async () => {
      expect(await answerOf(program, 'hello, wörld & <b>')).toBe('You said: hello, wörld & <b>');
    },
    MINUTES,
  );
});
