import { randomBytes } from 'node:crypto';
import { appendFile, chmod, copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import { urlSetting } from '@flotilla/runtime/settings.ts';
import { controlClient } from '@flotilla/simulator/control-client.ts';
import { administer, databaseUrl } from '@flotilla/testing/postgres.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
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
const INSTALLING = ['program-dependencies', 'console-dependencies'];
/** Who writes to the demo bot. */
const DEMO_PERSON = 424_242;
const COMMIT = '0b1c2d3e4f5061728394a5b6c7d8e9f001122334';
const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const ADMIN_KEY = `flt_${randomBytes(24).toString('hex')}`;
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
  builder = imageBuilder({
    dockerfile: join(checkout, DOCKERFILE),
    context: checkout,
    folder,
    node,
    args: { REVISION: COMMIT },
  });
  redis = await startTestRedis();
  await administer(TEST_POSTGRES_URL, `create database ${database}`);
  await Promise.all(TARGETS.map(builder.build));
}, BUILD_MS);

afterAll(async () => {
  await Promise.all(running.map((container) => container.stop().catch(() => null)));
  await redis.stop();
  await administer(TEST_POSTGRES_URL, `drop database if exists ${database} with (force)`);
  await removeDir(folder);
  await removeDir(checkout);
}, START_MS);

test.each(TARGETS)(
  'the image of the %s holds the folder that its program was built into, and nothing else',
  async (target) => {
    const { dir, workdir } = await builder.build(target);
    expect(await readdir(dir)).toEqual(['flotilla']);
    expect(await readdir(join(dir, workdir))).toEqual(['built']);
    const programs = target === 'simulator' ? ['demo-bot', target] : [target];
    expect((await readdir(join(dir, workdir, 'built'))).sort()).toEqual(programs);
    const files = await readdir(join(dir, workdir), { recursive: true });
    expect(files.filter((file) => /node_modules|\.ts$|package\.json$/.test(file))).toEqual([]);
    const list = JSON.parse(await readFile(join(dir, workdir, 'built', target, 'sbom.cdx.json'), 'utf8'));
    expect(list.components.map(({ name }: { name: string }) => name)).toContain('zod');
  },
);

const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', woff2: 'font/woff2' };

test(
  'a changed source installs nothing anew, a changed manifest does',
  async () => {
    const context = await throwAwayDir();
    await closedCheckout(ROOT, CONTEXT, context);
    const keys = async () => {
      const all = await cacheKeys(join(context, DOCKERFILE), context);
      return {
        installed: INSTALLING.map((stage) => all.get(stage)),
        images: TARGETS.map((target) => all.get(target)),
      };
    };
    const before = await keys();
    expect(new Set([...before.installed, ...before.images]).size).toBe(INSTALLING.length + TARGETS.length);

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
  'the images migrate, start as an unprivileged user on a read-only file system,' +
    ' say their build, deliver a message, and stop on the stop signal',
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
    const [apiPort, apiMetrics, workerMetrics, platformPort, botPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const [apiUrl, platformUrl] = [`http://127.0.0.1:${apiPort}`, `http://127.0.0.1:${platformPort}`];
    const service = {
      ...stores,
      HOST: '127.0.0.1',
      TELEGRAM_API_URL: platformUrl,
      BACKEND_ALLOWED_CIDRS: '127.0.0.1/32',
      ENCRYPTION_KEY,
      ADMIN_API_KEY: ADMIN_KEY,
    };
    const bot = {
      API_URL: apiUrl,
      SIMULATOR_URL: platformUrl,
      ADMIN_API_KEY: ADMIN_KEY,
      DEMO_BOT_TOKEN: '1000000001:AAimages-test-0123456789abcdefghijk',
      DEMO_BOT_SECRET: 'images-test',
      PORT: `${botPort}`,
      BACKEND_URL: `http://127.0.0.1:${botPort}/demo-bot`,
      SHOWN_API_URL: apiUrl,
      SHOWN_SIMULATOR_URL: platformUrl,
    };
    const simulator = await startHealthy('simulator', { PORT: `${platformPort}` });
    const api = await startHealthy('api', { ...service, PORT: `${apiPort}`, METRICS_PORT: `${apiMetrics}` });
    const worker = await startHealthy('worker', { ...service, METRICS_PORT: `${workerMetrics}` });
    for (const port of [apiPort, apiMetrics, workerMetrics]) {
      await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true, {
        timeoutMs: START_MS,
      });
    }
    const version = new RegExp(`version="\\d+\\.\\d+\\.\\d+\\+${COMMIT.slice(0, 8)}"`);
    for (const port of [apiMetrics, workerMetrics]) {
      expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toMatch(version);
    }

    const demoBot = await start('simulator', bot, ['node', 'built/demo-bot/launch.mjs']);
    await waitFor(async () => demoBot.output().includes('The demo bot runs'), { timeoutMs: START_MS }).catch(
      (error) => {
        throw new Error(`The demo bot does not run:\n${demoBot.output()}`, { cause: error });
      },
    );
    const platform = controlClient(platformUrl);
    const [{ id: botId } = { id: 0 }] = await platform.listBots();
    await platform.sendMessage({ person: DEMO_PERSON, bot: botId, text: 'Hello' });
    const query = { bot_id: 1, chat_id: DEMO_PERSON };
    const answered = async () =>
      (await restClient(apiUrl, ADMIN_KEY)('GET', '/api/messages', { query })).text.includes('You said: Hello');
    await waitFor(answered, { timeoutMs: START_MS, message: 'the answer of the bot in the history' });

    const started = { demoBot, worker, api, simulator };
    for (const [name, container] of Object.entries(started)) {
      expect({ name, code: await container.stop() }).toEqual({ name, code: 0 });
    }
  },
  4 * START_MS,
);

test(
  'the api of its image serves what is copied into it: the console, whose files a browser keeps, the API document, the queues',
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
      ENCRYPTION_KEY,
      ADMIN_API_KEY: ADMIN_KEY,
    });
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers });
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
      expect(path).toMatch(/-[\w-]{8}\.(js|css|woff2)$/);
      const type = TYPES[path.split('.').at(-1) as keyof typeof TYPES];
      const cache = 'public, max-age=31536000, immutable';
      expect({ path, ...headOf(await get(path)) }).toEqual({ path, status: 200, type, cache });
    }
    for (const path of ['/docs', '/docs/page.js', '/docs/swagger-ui-bundle.js', '/openapi.json', '/admin/queues']) {
      expect([path, (await get(path)).status]).toEqual([path, 200]);
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
  const names = await readdir(join(dir, workdir, 'built/api/assets/apps/console/dist/assets'));
  return names.map((name) => `/console/assets/${name}`);
}

function headOf({ status, headers }: Response) {
  return { status, type: headers.get('content-type'), cache: headers.get('cache-control') };
}

async function start(target: string, env: Record<string, string>, command?: string[]): Promise<Container> {
  const container = runContainer(await builder.build(target), { env, node, ...(command ? { command } : {}) });
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
