import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { controlClient } from '@flotilla/simulator/control-client.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { startBackend } from '@flotilla/testing/backend.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ledger } from './ledger.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);
const PACK_MS = 240_000;
const START_MS = 60_000;

/** Where the package is installed. */
let folder: string;
const launched: ChildProcess[] = [];

beforeAll(async () => {
  folder = await throwAwayDir();
  await run('npm', ['run', '--silent', 'package', '--', folder], {
    cwd: ROOT,
    env: inheritedEnv(),
    maxBuffer: 1 << 24,
  });
  await install();
}, PACK_MS);
afterAll(async () => {
  for (const child of launched) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await removeDir(folder);
}, START_MS);

/** Installs like npm, but its dependencies come from this checkout, because a test has no registry. */
async function install(): Promise<void> {
  const [file] = (await readdir(folder)).filter((name) => /^flotilla-\d.*\.tgz$/.test(name));
  await run('tar', ['-xzf', file!], { cwd: folder });
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await cp(join(folder, 'package'), join(modules, 'flotilla'), { recursive: true });
  await rm(join(folder, 'package'), { recursive: true });
  await symlink('../flotilla/flotilla.mjs', join(modules, '.bin/flotilla'));
  const manifest = JSON.parse(await readFile(join(modules, 'flotilla/package.json'), 'utf8'));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const [scope = ''] = name.split('/');
    await mkdir(join(modules, scope), { recursive: true });
    // Of optional ones, only those of this platform are there.
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
}

type Running = { child: ChildProcess; output(): string; ended: Promise<number | null> };

/** Runs the command as somebody who has installed it. */
function flotilla(args: string[], settings: Record<string, string> = {}): Running {
  const path = `${resolve(process.execPath, '..')}:${inheritedEnv().PATH}`;
  const child = spawn(join(folder, 'node_modules/.bin/flotilla'), args, {
    cwd: folder,
    env: { PATH: path, LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  launched.push(child);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += chunk));
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code) };
}

async function untilPrinted(running: Running, pattern: RegExp): Promise<string> {
  await waitFor(() => pattern.test(running.output()) || running.child.exitCode !== null, { timeoutMs: START_MS });
  const found = pattern.exec(running.output());
  if (found === null) throw new Error(`It did not print ${pattern}:\n${running.output()}`);
  return found[1] ?? '';
}

async function untilReady(metricsPort: string, name: string): Promise<void> {
  const ready = async () => (await fetch(`http://127.0.0.1:${metricsPort}/readyz`).catch(() => null))?.ok;
  await waitFor(ready, { timeoutMs: START_MS, message: `${name} to be ready` });
}

async function stop(running: Running): Promise<number | null> {
  running.child.kill('SIGTERM');
  return running.ended;
}

/** Opens the link of the first start as the console does. */
async function useLink(url: string, token: string): Promise<Response> {
  return fetch(`${url}/api/auth/sign-in-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
}

test('the installed package answers a first message, lets its admin in by a link, and survives a kill -9', async () => {
  const data = join(folder, 'demo');
  const port = String(await freePort());
  const first = flotilla(['--demo', '--data', data], { PORT: port });
  const token = await untilPrinted(first, /#sign-in=(\S+)[\s\S]*^ready$/m);
  const url = `http://127.0.0.1:${port}`;

  const opened = await useLink(url, token);
  expect({ status: opened.status, body: await opened.json() }).toMatchObject({
    status: 200,
    body: { user: { username: 'admin', role: 'admin' }, must_change_password: false },
  });
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
  const asAdmin = async (path: string) => (await fetch(`${url}${path}`, { headers: { cookie } })).json();
  expect(await asAdmin('/api/auth/me')).toMatchObject({ username: 'admin' });
  expect((await useLink(url, token)).status).toBe(401);
  expect(await asAdmin('/api/adminlog')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'sign_in_link' }),
      expect.objectContaining({ action: 'sign_in', details: 'by a link' }),
    ]),
  );
  expect(await (await fetch(`${url}/console/`)).text()).toContain('<div id="console"');

  const told = [...first.output().matchAll(/platform +(http\S+)|"bot":(\d+)/g)];
  const control = controlClient(told[0]![1]!);
  const say = async (text: string) => {
    await control.sendMessage({ person: 424_242, bot: Number(told[1]![2]), text });
    await waitFor(
      async () => JSON.stringify(await asAdmin('/api/messages?bot_id=1&chat_id=424242')).includes(`You said: ${text}`),
      {
        timeoutMs: START_MS,
      },
    );
  };
  await say('Before');

  const second = flotilla(['--demo', '--data', data], { PORT: String(await freePort()) });
  expect([await second.ended, second.output()]).toEqual([
    1,
    expect.stringMatching(/^Flotilla already runs over .*\n$/),
  ]);
  const taken = flotilla(['--data', join(folder, 'other')], { PORT: port });
  expect([await taken.ended, taken.output()]).toEqual([
    1,
    expect.stringMatching(/^Port \d+ is taken .* PORT=\d+\.\n$/),
  ]);

  first.child.kill('SIGKILL');
  await first.ended;
  const again = flotilla(['--demo', '--data', data], { PORT: port });
  await untilPrinted(again, /^ready$/m);
  expect(again.output()).not.toContain('#sign-in=');
  await say('After');
  expect(JSON.stringify(await asAdmin('/api/messages?bot_id=1&chat_id=424242'))).toContain('You said: Before');
  expect(await stop(again)).toBe(0);
}, 180_000);

/** Of each of the three loads, which have chats of their own. */
const CHATS = 5;
const PER_CHAT = 60;
const LOADS = 3;

test('an api and a worker grow beside it over the same directory, and are killed as it is: nothing is lost, and only what was in flight comes twice', async () => {
  const simulator = await startSimulator();
  const arrived = ledger();
  let answering = Promise.resolve();
  const backend = await startBackend(async (request, response) => {
    arrived.record(request.text);
    await answering;
    response.end();
  });
  const [data, key] = [join(folder, 'real'), `flt_${'one-package-'.repeat(3)}`];
  const [port, metricsPort] = [await freePort(), await freePort()];
  const settings = {
    TELEGRAM_API_URL: simulator.url,
    BACKEND_ALLOWED_CIDRS: '127.0.0.1/32',
    ADMIN_API_KEY: key,
    HOST: '127.0.0.1',
  };
  const startOne = () => flotilla(['--data', data], { ...settings, PORT: `${port}`, METRICS_PORT: `${metricsPort}` });
  const killed = startOne();
  await untilPrinted(killed, /#sign-in=(\S+)/);
  const admin: RestClient = restClient(`http://127.0.0.1:${port}`, key);
  const control = controlClient(simulator.url);
  const { token, id } = await control.createBot({});
  const body = { token, backend_url: `${backend.url}/bot`, long_poll_enabled: false };
  expect((await admin('POST', '/api/bots/add', { body })).status).toBe(200);

  const load = () => control.generate({ bots: [id], chats: CHATS, count: CHATS * PER_CHAT, perSecond: 40 });
  await load();
  const startBeside = async (role: 'api' | 'worker') => {
    const own = { PORT: `${await freePort()}`, METRICS_PORT: `${await freePort()}` };
    const running = flotilla([role, '--data', data], { ...settings, ...own });
    await untilReady(own.METRICS_PORT, `the ${role} beside it`);
    return running;
  };
  const [api, worker] = await Promise.all([startBeside('api'), startBeside('worker')]);
  const { json: fleet } = await admin('GET', '/api/fleet');
  const kinds = (fleet as { replicas: { kind: string }[] }).replicas.map(({ kind }) => kind);
  expect(kinds.sort()).toEqual(['api', 'api', 'worker', 'worker']);
  const before = arrived.count();
  await load();
  await waitFor(() => arrived.count() > before + CHATS, { timeoutMs: START_MS, message: 'updates to flow' });
  worker.child.kill('SIGKILL');
  await worker.ended;

  // What the platform has been told to forget is only in the stores when they are killed.
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  answering = promise;
  await load();
  const pending = async () => ((await admin('GET', '/api/bots')).json as BotResource[])[0]!.pending_update_count;
  await waitFor(async () => (await pending()) > PER_CHAT, { timeoutMs: START_MS, message: 'updates to wait' });
  killed.child.kill('SIGKILL');
  await killed.ended;
  const again = startOne();
  await untilReady(`${metricsPort}`, 'the one that was killed');
  answer();
  const count = LOADS * CHATS * PER_CHAT;
  await waitFor(() => arrived.count() === count, { timeoutMs: START_MS, message: 'all updates' });
  expect(arrived.faults(PER_CHAT)).toEqual([]);
  expect(arrived.duplicates()).toBeLessThanOrEqual(2 * LOADS * CHATS);

  const doctor = flotilla(['doctor', '--data', data], settings);
  expect([await doctor.ended, doctor.output()]).toEqual([0, expect.stringContaining(' to mend')]);
  for (const running of [api, again]) expect(await stop(running)).toBe(0);
  const backup = flotilla(['backup', '--data', data, join(folder, 'backup')], settings);
  expect([await backup.ended, backup.output()]).toEqual([0, expect.stringContaining('holds the database')]);
  await backend.stop();
  await simulator.stop();
}, 240_000);
