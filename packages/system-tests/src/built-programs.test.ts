import { execFile } from 'node:child_process';
import { appendFile, cp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { VERSION } from '@flotilla/runtime/build.ts';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { ADMIN_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../..');
const BUILD_MS = 120_000;
const run = promisify(execFile);

/** Runs the command that builds the programs; returns the folder that it prints. */
async function programs(root: string, ...args: string[]): Promise<string> {
  const command = [join(root, 'scripts/programs.mjs'), ...args];
  const { stdout } = await run(process.execPath, command, { env: inheritedEnv() });
  return stdout.trim();
}

describe('A built api', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet({ apis: 1, workers: 0 }, { BUILT_PROGRAMS: await programs(ROOT) });
  }, BUILD_MS);
  afterAll(() => fleet.stop());

  test.each([
    ['/docs', 'text/html'],
    ['/docs/page.css', 'text/css'],
    ['/docs/swagger-ui.css', 'text/css'],
    ['/openapi.json', 'application/json'],
    ['/admin/queues', 'text/html'],
  ])('serves %s, made of files that are beside its sources or in its packages', async (path, type) => {
    const response = await fetch(`${fleet.url}${path}`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    expect({ status: response.status, type: response.headers.get('content-type')?.split(';')[0] }).toEqual({
      status: 200,
      type,
    });
    expect((await response.text()).length).toBeGreaterThan(50);
  });
});

test(
  'a built program says the commit that it is given, else a hash of its sources; a source says the commit of its checkout',
  async () => {
    const folder = await throwAwayDir();
    const commit = '0b1c2d3e4f5061728394a5b6c7d8e9f001122334';
    await run(process.execPath, [
      join(ROOT, 'scripts/programs/bundle.mjs'),
      join(folder, 'built'),
      `--commit=${commit}`,
    ]);
    const { version } = JSON.parse(await readFile(join(ROOT, 'packages/runtime/package.json'), 'utf8'));
    expect(await versionIn(join(folder, 'built'))).toBe(`${version}+${commit.slice(0, 8)}`);
    expect(await versionIn(await programs(ROOT))).toMatch(/\+sources\.[0-9a-f]{8}$/);
    const { stdout: head } = await run('git', ['-C', ROOT, 'rev-parse', 'HEAD']);
    expect(VERSION).toBe(`${version}+${head.slice(0, 8)}`);
    await rm(folder, { recursive: true });
  },
  BUILD_MS,
);

/** The version that the list of a program's packages names, which is the one that the program says. */
async function versionIn(built: string): Promise<string> {
  const folder = join(built, 'worker');
  const { version } = JSON.parse(await readFile(join(folder, 'sbom.cdx.json'), 'utf8')).metadata.component;
  const modules = (await readdir(folder)).filter((name) => name.endsWith('.mjs'));
  const code = await Promise.all(modules.map((name) => readFile(join(folder, name), 'utf8')));
  expect(code.join('')).toContain(JSON.stringify(version));
  return version;
}

test(
  'the built api of a checkout shows the console of the checkout, whenever that is built',
  async () => {
    const link = join(await programs(ROOT), 'api/assets/apps/console/dist');
    expect(resolve(dirname(link), await readlink(link))).toBe(join(ROOT, 'apps/console/dist'));
  },
  BUILD_MS,
);

test(
  'a build is found by the sources it was made of, whatever their tests are',
  async () => {
    const checkout = await throwAwayDir();
    for (const name of ['apps', 'packages', 'scripts', 'package.json', 'package-lock.json']) {
      const filter = (path: string) => !/\/(node_modules|dist)$/.test(path);
      await cp(join(ROOT, name), join(checkout, name), { recursive: true, filter });
    }
    await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    const name = async () => (await programs(checkout, '--name')).split('/').at(-1);
    const unchanged = await name();
    expect(unchanged).toBe((await programs(ROOT, '--name')).split('/').at(-1));

    await appendFile(join(checkout, 'packages/runtime/src/env.test.ts'), '// changed\n');
    expect(await name()).toBe(unchanged);
    await appendFile(join(checkout, 'packages/runtime/src/env.ts'), '// changed\n');
    expect(await name()).not.toBe(unchanged);
    await rm(checkout, { recursive: true });
  },
  BUILD_MS,
);
