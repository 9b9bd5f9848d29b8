import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rolldown } from 'rolldown';
import { CLIENT_PROGRAM, installClient, runClientProgram, seenByProgram } from './client-program.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const LARGEST = 15 * 1024;
const START_MS = 240_000;
const run = promisify(execFile);

let api: TestApi;
let folder: string;
let installed: string;

beforeAll(async () => {
  [api, folder] = await Promise.all([startTestApi(), throwAwayDir()]);
  installed = await installClient(folder);
}, START_MS);
afterAll(() => api?.stop());

test(
  'a program with the client compiles, and a wrong input does not',
  async () => {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const flags = '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2022';
    const compile = async (file: string) => {
      const args = [compiler, ...flags.split(' '), '--types', 'node', file];
      return run(process.execPath, args, { cwd: folder }).then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      );
    };
    expect(await compile('program.ts')).toBe('');
    await writeFile(join(folder, 'wrong.ts'), CLIENT_PROGRAM.replace("text: 'Once'", "txt: 'Once'"));
    expect(await compile('wrong.ts')).toContain('txt');
  },
  START_MS,
);

test(
  'it sends once though the answer is lost, walks over pages, hears events, makes no late change and tells errors apart',
  async () => {
    const { seen, sends } = await runClientProgram(api, folder, [process.execPath]);
    expect(seen).toEqual(seenByProgram(expect.any(Number), expect.stringMatching(/^(fleet|bot)$/)));
    expect(sends).toBe(1);
  },
  START_MS,
);

test('it needs no other package, and is small in a bundle', async () => {
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest).not.toHaveProperty('dependencies');
  const bundle = await rolldown({ input: join(installed, 'dist/client.js') });
  const { output } = await bundle.generate({ minify: true });
  expect(Buffer.byteLength(output[0].code)).toBeLessThan(LARGEST);
});
