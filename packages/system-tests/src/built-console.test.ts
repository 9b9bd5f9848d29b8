import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../..');
const BUILD_MS = 60_000;

/** A console of one page, which takes a fraction of the time to build. */
const SMALL_CONSOLE = {
  'apps/console/index.html': '<!doctype html><script type="module" src="/src/main.ts"></script>',
  'apps/console/vite.config.ts': "export default { base: '/console/' };",
  'apps/console/tsconfig.json': '{}',
  'apps/console/package.json': '{ "type": "module" }',
  'apps/console/public/robots.txt': 'User-agent: *',
  'apps/console/src/main.ts': "import { word } from '../../../packages/contract/src/word.ts';\nconsole.log(word);\n",
  'packages/contract/src/word.ts': "export const word = 'of the contract';\n",
};

let checkout: string;
const inCheckout = (path: string) => join(checkout, path);

beforeAll(async () => {
  checkout = await throwAwayDir();
  for (const name of ['scripts', 'package.json', 'package-lock.json', 'tsconfig.base.json']) {
    await cp(join(ROOT, name), inCheckout(name), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), inCheckout('node_modules'));
  for (const [path, text] of Object.entries(SMALL_CONSOLE)) {
    await mkdir(dirname(inCheckout(path)), { recursive: true });
    await writeFile(inCheckout(path), text);
  }
  expect(await buildIfStale()).toBe(true);
}, BUILD_MS);

afterAll(() => rm(checkout, { recursive: true, force: true }));

/** Runs what `npm start` does for the console; tells whether that wrote it anew. Rejects if it fails. */
async function buildIfStale(): Promise<boolean> {
  const before = await pageWrittenAt();
  const command = [inCheckout('scripts/console.mjs'), '--if-stale'];
  await promisify(execFile)(process.execPath, command, { env: inheritedEnv() });
  const after = await pageWrittenAt();
  expect(after).not.toBeNull();
  return after !== before;
}

async function pageWrittenAt(): Promise<bigint | null> {
  const page = await stat(inCheckout('apps/console/dist/index.html'), { bigint: true }).catch(() => null);
  return page?.mtimeNs ?? null;
}

async function builtScript(): Promise<string> {
  const assets = inCheckout('apps/console/dist/assets');
  const texts = (await readdir(assets)).map((name) => readFile(join(assets, name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

test(
  'a console whose sources are the same is not built again, whatever their tests are',
  async () => {
    expect(await buildIfStale()).toBe(false);
    await writeFile(inCheckout('packages/contract/src/word.test.ts'), '// a test\n');
    expect(await buildIfStale()).toBe(false);
  },
  BUILD_MS,
);

test.each([
  ['apps/console/src/main.ts', "console.log('of the page');\n"],
  ['packages/contract/src/word.ts', "console.log('of a word');\n"],
  ['apps/console/public/robots.txt', '\nDisallow: /'],
  ['package-lock.json', '\n'],
])(
  'a console of which %s has changed is built again, once',
  async (path, added) => {
    await appendFile(inCheckout(path), added);
    expect([await buildIfStale(), await buildIfStale()]).toEqual([true, false]);
    const text = /'(.*)'/.exec(added)?.[1];
    if (text !== undefined) expect(await builtScript()).toContain(text);
  },
  BUILD_MS,
);

test.each([
  ['with its folder', () => rm(inCheckout('apps/console/dist'), { recursive: true })],
  [
    'but for hidden files, as by rm dist/*',
    async () => {
      const dist = inCheckout('apps/console/dist');
      const shown = (await readdir(dist)).filter((name) => !name.startsWith('.'));
      for (const name of shown) await rm(join(dist, name), { recursive: true });
    },
  ],
])(
  'a console that was removed %s is built again, once',
  async (_how, remove) => {
    await remove();
    expect([await buildIfStale(), await buildIfStale()]).toEqual([true, false]);
  },
  BUILD_MS,
);

test(
  'a build that failed is no build of these sources',
  async () => {
    await appendFile(inCheckout('apps/console/src/main.ts'), 'const = ;\n');
    await expect(buildIfStale()).rejects.toThrow('main.ts');
    await expect(buildIfStale()).rejects.toThrow('main.ts');
    await writeFile(inCheckout('apps/console/src/main.ts'), "console.log('repaired');\n");
    expect(await buildIfStale()).toBe(true);
    expect(await builtScript()).toContain('repaired');
  },
  BUILD_MS,
);
