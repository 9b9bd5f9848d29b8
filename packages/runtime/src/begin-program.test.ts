import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { NODE_ENV_FILE } from './program-entry.ts';

const BEGIN = join(import.meta.dirname, 'begin-program.mjs');
const LARGE_MODULE = join(import.meta.dirname, 'settings.ts');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a program that keeps its compiled code in this folder, and returns its output. */
async function runProgram(place: string): Promise<{ stdout: string; stderr: string }> {
  const program = `
    import { beginProgram } from ${JSON.stringify(BEGIN)};
    beginProgram('program', ${JSON.stringify(place)});
    const { portSetting } = await import(${JSON.stringify(LARGE_MODULE)});
    console.log(portSetting(1).parse(undefined));`;
  const args = ['--input-type=module', '--eval', program];
  return promisify(execFile)(process.execPath, args, { env: {} });
}
const filesBelow = async (place: string) => (await readdir(place, { recursive: true })).length;

test('what a program compiles is kept for its next start', async () => {
  expect(await runProgram(folder)).toEqual({ stdout: '1\n', stderr: '' });
  expect(await filesBelow(folder)).toBeGreaterThan(10);
});

test('a program starts, and says nothing, where nothing can be kept', async () => {
  const file = join(folder, 'a file');
  await writeFile(file, '');
  expect(await runProgram(file)).toEqual({ stdout: '1\n', stderr: '' });
});

/** The largest generations (MB) of a program that keeps objects for a while, and how many threads do its slow work. */
async function measured(program: string): Promise<{ youngMb: number; oldMb: number; threads: number }> {
  const source = `
    import { pbkdf2 } from 'node:crypto';
    import { readdirSync } from 'node:fs';
    import { getHeapSpaceStatistics } from 'node:v8';
    import { beginProgram } from ${JSON.stringify(BEGIN)};
    beginProgram(${JSON.stringify(program)}, ${JSON.stringify(join(folder, program))});
    const before = readdirSync('/proc/self/task').length;
    for (let at = 0; at < 40; at += 1) pbkdf2('a', 'b', 1, 32, 'sha256', () => {});
    const threads = readdirSync('/proc/self/task').length - before;
    const most = { new_space: 0, old_space: 0 };
    const kept = new Array(300_000);
    for (let at = 0; at < 4_000_000; at += 1) {
      kept[at % kept.length] = { at, text: 'x' + at, list: [at] };
      // At first the old generation grows to what V8 begins with.
      if (at < 2_000_000 || at % 20_000 > 0) continue;
      for (const { space_name: name, space_used_size: used, space_size: size } of getHeapSpaceStatistics())
        if (name in most) most[name] = Math.max(most[name], (name === 'new_space' ? size : used) / 2 ** 20);
    }
    console.log(JSON.stringify({ youngMb: most.new_space, oldMb: most.old_space, threads }));`;
  const args = [`--env-file=${NODE_ENV_FILE}`, '--input-type=module', '--eval', source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} });
  return JSON.parse(stdout) as { youngMb: number; oldMb: number; threads: number };
}

test('an api and a worker keep less garbage than V8 would, and a worker has the threads for many lookups of names', async () => {
  const [other, api, worker] = await Promise.all(['simulator', 'api', 'worker'].map(measured));
  for (const { youngMb, oldMb } of [api!, worker!]) {
    expect(youngMb).toBeLessThan(40);
    expect(oldMb).toBeLessThan(other!.oldMb);
  }
  expect(worker!.threads - api!.threads).toBe(28);
});

test('every way to start an api or a worker takes these settings', async () => {
  const read = (path: string) => readFile(join(import.meta.dirname, '../../..', path), 'utf8');
  const [scripts, dockerfile, handbook] = await Promise.all(
    ['package.json', 'infra/docker/Dockerfile', 'docs/operations/install.md'].map(read),
  );
  const file = '--env-file=packages/runtime/src/node.env';
  expect(handbook).toContain(`/node ${file} apps/api/src/launch.mjs\n`);
  for (const program of ['api', 'worker']) {
    expect(scripts).toContain(`"start:${program}": "exec node ${file} apps/${program}/src/launch.mjs"`);
    // A built program brings its own copy.
    const copy = `--env-file=built/${program}/assets/packages/runtime/src/node.env`;
    expect(dockerfile).toContain(`CMD ["node", "${copy}", "built/${program}/launch.mjs"]\n`);
    // The compiled code of other flags is of no use.
    expect(dockerfile).toContain(`RUN node ${copy} built/${program}/fill-compile-cache.mjs\n`);
  }
});
