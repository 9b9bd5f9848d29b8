import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { installClient, runClientProgram, seenByProgram } from '../client-program.ts';
import { installPackages } from './install-packages.ts';

const run = promisify(execFile);
const PACKAGES = { bun: '1.4.5', deno: '2.9.6' };

let api: TestApi;
let folder: string;
let runtimes: string;

beforeAll(async () => {
  [api, folder, runtimes] = await Promise.all([startTestApi(), throwAwayDir(), installPackages(PACKAGES)]);
  // It chooses the binary among its packages for this processor.
  await run(process.execPath, ['install.js'], { cwd: join(runtimes, 'node_modules/bun') });
  await installClient(folder);
}, 300_000);
afterAll(() => Promise.all([api?.stop(), rm(runtimes, { recursive: true, force: true })]));

test.each([
  ['bun', ['run']],
  ['deno', ['run', '--allow-all', '--no-check', '--node-modules-dir=manual']],
])(
  'the client runs under %s as under Node',
  async (runtime, args) => {
    const command = join(runtimes, 'node_modules/.bin', runtime);
    const { seen, sends } = await runClientProgram(api, folder, [command, ...args]);
    expect(seen).toEqual(seenByProgram(expect.any(Number), expect.stringMatching(/^(fleet|bot)$/)));
    expect(sends).toBe(1);
  },
  300_000,
);
