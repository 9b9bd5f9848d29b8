import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_MS = 60_000;

type Sandbox = { child: ChildProcess; output(): string; ended: Promise<number | null> };

function launch(settings: Record<string, string>): Sandbox {
  const child = spawn(process.execPath, ['apps/sandbox/src/main.ts'], {
    cwd: ROOT,
    env: { ...inheritedEnv(), PORT: '0', HOST: '127.0.0.1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code) };
}

async function start(dataDir: string): Promise<Sandbox> {
  const sandbox = launch({ DATA_DIR: dataDir });
  await waitFor(() => /^ready$/m.test(sandbox.output()) || sandbox.child.exitCode !== null, { timeoutMs: START_MS });
  if (sandbox.child.exitCode !== null) throw new Error(`The sandbox did not start: ${sandbox.output()}`);
  return sandbox;
}

async function stop(sandbox: Sandbox): Promise<number | null> {
  sandbox.child.kill('SIGTERM');
  return sandbox.ended;
}

/** Runs one of the lines the sandbox prints for a person to try. */
async function tryLine(sandbox: Sandbox, containing: string): Promise<string> {
  const line = sandbox.output().match(new RegExp(`^ +(curl .*${containing}.*)$`, 'm'))?.[1];
  if (!line) throw new Error(`There is no line with ${containing}`);
  return (await promisify(execFile)('/bin/sh', ['-c', line])).stdout;
}

async function textsInHistory(sandbox: Sandbox): Promise<string[]> {
  const messages = JSON.parse(await tryLine(sandbox, '/api/messages')) as { text: string }[];
  return messages.map(({ text }) => text);
}

/** Ids of the processes below the launcher. */
async function partsOf(sandbox: Sandbox): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=']);
  const rows = stdout
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number));
  return rows.filter(([, parent]) => parent === sandbox.child.pid).map(([pid]) => pid!);
}

const alive = (pid: number) =>
  stat(`/proc/${pid}`).then(
    () => true,
    () => false,
  );
const allGone = async (pids: number[]) => (await Promise.all(pids.map(alive))).every((living) => !living);

describe('The sandbox', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await throwAwayDir();
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  test('lets a person try what it prints, and keeps data and credentials over a restart', async () => {
    const first = await start(dataDir);
    await tryLine(first, 'control/sendMessage');
    await waitFor(async () => (await textsInHistory(first)).includes('You said: Hello'));
    expect(JSON.parse(await tryLine(first, '/tgapi/'))).toMatchObject({ ok: true, result: { text: 'Hi' } });
    await waitFor(async () => (await textsInHistory(first)).length === 3);
    const parts = await partsOf(first);
    expect(parts.length).toBeGreaterThanOrEqual(5);
    expect(await stop(first)).toBe(0);
    await waitFor(() => allGone(parts), { message: 'all parts to be gone' });

    const file = join(dataDir, 'credentials.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { adminPassword, adminApiKey, demoBotToken } = JSON.parse(await readFile(file, 'utf8'));
    const second = await start(dataDir);
    for (const credential of [adminPassword, adminApiKey, demoBotToken]) {
      expect(first.output()).toContain(credential);
      expect(second.output()).toContain(credential);
    }
    expect(await textsInHistory(second)).toHaveLength(3);
    await tryLine(second, 'control/sendMessage');
    await waitFor(async () => (await textsInHistory(second)).length === 5);
    expect(await stop(second)).toBe(0);
  }, 180_000);

  test('refuses a taken port with one sentence', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo;
    const taken = launch({ DATA_DIR: dataDir, PORT: String(port) });
    expect(await taken.ended).toBe(1);
    expect(taken.output()).toMatch(new RegExp(`^Port ${port} is taken by another program.*\n$`));
    occupant.close();
  });

  test('refuses a second start over its data, and leaves nothing running when a part of it dies', async () => {
    const broken = await start(dataDir);
    const second = launch({ DATA_DIR: dataDir });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/^Flotilla already runs over .*\n$/);
    const parts = await partsOf(broken);
    process.kill(Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10), 'SIGKILL');
    expect(await broken.ended).toBe(1);
    expect(broken.output()).toContain('The embedded Postgres ended by itself.');
    await waitFor(() => allGone(parts), { timeoutMs: 30_000, message: 'all parts to be gone' });
  }, 120_000);

  test('leaves nothing running when it is killed', async () => {
    const killed = await start(dataDir);
    const orphans = await partsOf(killed);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await waitFor(() => allGone(orphans), { timeoutMs: 30_000, message: 'all orphans to be gone' });
  }, 120_000);
});
