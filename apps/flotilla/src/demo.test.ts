import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv, promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { programArgs, programEntry } from '@flotilla/runtime/program-entry.ts';
import { controlClient } from '@flotilla/simulator/control-client.ts';
import { type ListeningSocket, listeningSockets } from '@flotilla/testing/listening-sockets.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_MS = 100_000;
/** Turns of a worker that was killed begin anew up to 15 s later. */
const PATIENCE = { timeoutMs: 60_000 };

type Sandbox = { child: ChildProcess; output(): string; ended: Promise<number | null> };

const launched: Sandbox[] = [];

function launch(settings: Record<string, string>, args: string[] = []): Sandbox {
  const { HOST: _, ...environment } = inheritedEnv();
  const child = spawn(process.execPath, [...programArgs('flotilla'), '--demo', ...args], {
    cwd: ROOT,
    env: { ...environment, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const sandbox = { child, output: () => output, ended: once(child, 'close').then(([code]) => code) };
  launched.push(sandbox);
  return sandbox;
}

async function start(dataDir: string, settings: Record<string, string> = {}, args: string[] = []): Promise<Sandbox> {
  const sandbox = launch({ DATA_DIR: dataDir, ...settings }, args);
  await waitFor(() => /^ready$/m.test(sandbox.output()) || sandbox.child.exitCode !== null, { timeoutMs: START_MS });
  if (sandbox.child.exitCode !== null) throw new Error(`The sandbox did not start: ${sandbox.output()}`);
  return sandbox;
}

async function stop(sandbox: Sandbox): Promise<number | null> {
  sandbox.child.kill('SIGTERM');
  return sandbox.ended;
}

/** The commands that the sandbox prints for a person to try. */
function linesToTry(sandbox: Sandbox): string[] {
  return [...sandbox.output().matchAll(/^ +((?:curl|until) .*)$/gm)].map(([, line]) => line!);
}

/** The output of a shell for text that is pasted into it. */
async function paste(text: string): Promise<string> {
  const shell = spawn('/bin/sh', ['-s'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let answer = '';
  shell.stdout.on('data', (chunk) => (answer += chunk));
  shell.stdin.end(`${text}\n`);
  await once(shell, 'close');
  return answer;
}

/** A sandbox and the actions of a person at its terminal, who knows only what it prints. */
function atTerminal(sandbox: Sandbox) {
  const printed = (pattern: RegExp) => pattern.exec(sandbox.output())![1]!;
  const url = printed(/runs at +(\S+)/);
  const key = printed(/API key +(\S+)/);
  const control = controlClient(printed(/platform +(http\S+)/));
  const rest = async <T>(path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { headers, ...sent });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const asBot = async (token: string, method: string, params: object = {}) => {
    const response = await fetch(`${url}/tgapi/bot${token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    return (await response.json()) as { ok: boolean; result: { message_id: number } };
  };
  return { url, control, rest, asBot };
}

async function textsInHistory(sandbox: Sandbox): Promise<string[]> {
  const line = linesToTry(sandbox).find((one) => one.includes('/api/messages'))!;
  return (JSON.parse(await paste(line)) as { text: string }[]).map(({ text }) => text);
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

/** Sockets of the process and of the stores that it started. */
async function socketsOf(sandbox: Sandbox): Promise<ListeningSocket[]> {
  const sockets = await listeningSockets([sandbox.child.pid!, ...(await partsOf(sandbox))]);
  for (const part of [programEntry('flotilla'), 'postgres', 'redis-server|valkey-server']) {
    expect({ part, sockets: sockets.filter(({ program }) => new RegExp(part).test(program)) }).not.toMatchObject({
      sockets: [],
    });
  }
  return sockets;
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
  // A test that failed half-way must not keep the next one from its data directory.
  afterEach(async () => {
    for (const sandbox of launched.splice(0)) if (sandbox.child.exitCode === null) await stop(sandbox);
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  test('lets a person paste all it prints at once, and keeps data and credentials over a restart', async () => {
    const first = await start(dataDir);
    const lines = linesToTry(first);
    expect(lines).toHaveLength(3);
    const answers = (await paste(lines.join('\n'))).trimEnd().split('\n');
    expect(answers.map((answer) => JSON.parse(answer))).toEqual([
      expect.objectContaining({ messageId: expect.any(Number) }),
      expect.arrayContaining(['Hello', 'You said: Hello'].map((text) => expect.objectContaining({ text }))),
      expect.objectContaining({ ok: true, result: expect.objectContaining({ text: 'Hi' }) }),
    ]);
    await waitFor(async () => (await textsInHistory(first)).length === 3);
    const metrics = await (await fetch(/metrics +(http\S+)/.exec(first.output())![1]!)).text();
    for (const role of ['api', 'upkeep']) expect(metrics).toContain(`flotilla_role{role="${role}"} 1`);
    const phone = /phone +(http\S+)/.exec(first.output())![1]!;
    const { rest } = atTerminal(first);
    expect(await rest('/api/system')).toMatchObject({ sandbox_url: phone });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${phone}/say`, { method: 'POST', headers, body: JSON.stringify({ text: 'From the page' }) });
    await waitFor(async () => (await (await fetch(`${phone}/chat`)).text()).includes('You said: From the page'));
    await waitFor(async () => (await textsInHistory(first)).length === 5);
    expect(await readFile(/^ +log +(\S+)$/m.exec(first.output())![1]!, 'utf8')).toContain('the api is ready');
    const parts = await partsOf(first);
    expect(parts.length).toBeGreaterThanOrEqual(2);
    expect((await socketsOf(first)).filter(({ loopback }) => !loopback)).toEqual([]);
    expect(await stop(first)).toBe(0);
    await waitFor(() => allGone(parts), { message: 'all parts to be gone' });

    const file = join(dataDir, 'flotilla.env');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { ADMIN_PASSWORD, ADMIN_API_KEY, DEMO_BOT_TOKEN } = parseEnv(await readFile(file, 'utf8'));
    const second = await start(dataDir);
    // Nobody has signed in: the start that made the admin shows a link, a later one says how to make one.
    expect(first.output()).toContain('#sign-in=');
    expect(second.output()).not.toContain('#sign-in=');
    expect(second.output()).toContain(`flotilla sign-in-link admin --data ${dataDir}`);
    for (const credential of [ADMIN_PASSWORD, ADMIN_API_KEY, DEMO_BOT_TOKEN]) {
      expect(first.output()).toContain(credential);
      expect(second.output()).toContain(credential);
    }
    expect(await textsInHistory(second)).toHaveLength(5);
    await paste(linesToTry(second)[0]!);
    await waitFor(async () => (await textsInHistory(second)).length === 7);
    expect(await stop(second)).toBe(0);
  }, 180_000);

  test('keeps the bots and people its user makes, also when it is killed; and what a platform that was reset says anew', async () => {
    const own = await throwAwayDir();
    const first = await start(own);
    const { control, rest } = atTerminal(first);
    const bot = await control.createBot({ name: 'Mine' });
    const bea = await control.createPerson({ firstName: 'Bea' });
    const { id: group } = await control.createChat({ type: 'supergroup', creator: bea.id, admins: [{ bot: bot.id }] });
    const added = await rest<{ id: number }>('/api/bots/add', { token: bot.token });
    const found = async ({ rest: ask }: Pick<ReturnType<typeof atTerminal>, 'rest'>, chat: number, word: string) => {
      const where = `bot_id=${added.id}&chat_id=${chat}`;
      const [rows, hits] = [
        await ask<{ text?: string }[]>(`/api/messages?${where}`),
        await ask<{ text?: string }[]>(`/api/messages/search?${where}&q=${word}`),
      ];
      return rows.some(({ text }) => text === word) && hits.some(({ text }) => text === word);
    };
    await control.sendMessage({ person: bea.id, bot: bot.id, text: 'before' });
    await control.sendMessage({ person: bea.id, chat: group, text: 'beforehand' });
    await waitFor(
      async () => (await found({ rest }, bea.id, 'before')) && (await found({ rest }, group, 'beforehand')),
    );
    const parts = await partsOf(first);
    first.child.kill('SIGKILL');
    await first.ended;
    await waitFor(() => allGone(parts), { timeoutMs: 30_000, message: 'all orphans to be gone' });

    const second = await start(own);
    const again = atTerminal(second);
    expect(await again.asBot(bot.token, 'getMe')).toMatchObject({ ok: true, result: { id: bot.id } });
    await again.control.sendMessage({ person: bea.id, bot: bot.id, text: 'after' });
    await again.control.sendMessage({ person: bea.id, chat: group, text: 'afterwards' });
    expect(await again.asBot(bot.token, 'sendMessage', { chat_id: bea.id, text: 'answer' })).toMatchObject({
      ok: true,
    });
    for (const text of ['before', 'after', 'answer']) await waitFor(() => found(again, bea.id, text), PATIENCE);
    for (const text of ['beforehand', 'afterwards']) await waitFor(() => found(again, group, text), PATIENCE);
    expect(await stop(second)).toBe(0);

    await rm(join(own, 'simulator'), { recursive: true });
    const third = await start(own);
    const reset = atTerminal(third);
    await reset.control.createBot({ token: bot.token });
    await reset.control.createPerson({ id: bea.id });
    // The platform refused the token meanwhile. Workers ask again after a minute, or when the bot is switched on.
    for (let times = 0; times < 2; times += 1) await reset.rest('/api/bots/toggle-disabled', { id: added.id });
    const { messageId } = await reset.control.sendMessage({ person: bea.id, bot: bot.id, text: 'anew' });
    expect(messageId).toBe(1);
    await waitFor(() => found(reset, bea.id, 'anew'));
    // The simulated platform has limits, so that floods can be seen.
    const calls = Array.from({ length: 20 }, () =>
      reset.asBot(bot.token, 'sendMessage', { chat_id: bea.id, text: 'x' }),
    );
    expect(new Set((await Promise.all(calls)).map(({ ok }) => ok))).toEqual(new Set([true, false]));
    expect((await reset.control.readLimits({ bot: bot.id })).refused).toBeGreaterThan(0);
    expect(await stop(third)).toBe(0);
    await removeDir(own);
  }, 240_000);

  test('opens the api by HOST, and nothing else', async () => {
    const opened = await start(dataDir, { HOST: '0.0.0.0' });
    const sockets = await socketsOf(opened);
    const open = sockets.filter(({ loopback }) => !loopback).map(({ port }) => `http://127.0.0.1:${port}`);
    expect(open).toEqual([/runs at +(\S+)/.exec(opened.output())![1]]);
    expect(await textsInHistory(opened)).toEqual(expect.any(Array));
    expect(await stop(opened)).toBe(0);
  }, 120_000);

  test('begins without a bot if it is asked to, and says how to make the first one', async () => {
    const own = await throwAwayDir();
    const empty = await start(own, {}, ['--empty']);
    const { rest } = atTerminal(empty);
    expect(await rest('/api/bots')).toEqual([]);
    const [line] = linesToTry(empty);
    const made = JSON.parse(await paste(line as string)) as { token: string };
    expect(await rest('/api/bots/add', { token: made.token })).toMatchObject({ username: 'my_first_bot' });
    expect(await stop(empty)).toBe(0);
    await removeDir(own);
  }, 120_000);

  test('refuses a taken port with one sentence', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo;
    const taken = launch({ DATA_DIR: dataDir, PORT: String(port) });
    expect(await taken.ended).toBe(1);
    expect(taken.output()).toMatch(new RegExp(`^Port ${port} is taken by another program.*\n$`));
    occupant.close();
  });

  test('allows backends in no private range where the list is set to nothing, and names the setting', async () => {
    const closed = launch({ DATA_DIR: dataDir, BACKEND_ALLOWED_CIDRS: '' });
    expect(await closed.ended).toBe(1);
    expect(closed.output()).toContain('IP address 127.0.0.1 is reserved; BACKEND_ALLOWED_CIDRS can allow its range');
  }, 120_000);

  test('refuses a second start over its data, and starts a store again that dies', async () => {
    const running = await start(dataDir);
    const second = launch({ DATA_DIR: dataDir });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/^Flotilla already runs over .*\n$/);
    for (const file of ['postgres/postmaster.pid', 'redis/redis.pid'])
      process.kill(Number.parseInt(await readFile(join(dataDir, file), 'utf8'), 10), 'SIGKILL');
    for (const name of ['Postgres', 'Redis'])
      await waitFor(() => running.output().includes(`${name} runs again.`), { timeoutMs: 60_000 });
    expect(running.output()).toContain('Redis was ended by SIGKILL, as the kernel does when memory runs out');
    const { control, rest } = atTerminal(running);
    const bot = await control.createBot({ name: 'After' });
    await waitFor(() => rest('/api/bots/add', { token: bot.token }).catch(() => false), PATIENCE);
    expect(await stop(running)).toBe(0);
  }, 120_000);

  test('leaves nothing running when it is killed', async () => {
    const killed = await start(dataDir);
    const orphans = await partsOf(killed);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await waitFor(() => allGone(orphans), { timeoutMs: 30_000, message: 'all orphans to be gone' });
  }, 120_000);
});
