import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { programEntry } from '@flotilla/runtime/program-entry.ts';
import { removeDir, throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { callApi, type TestBot } from '../conformance/conformance-target.ts';
import { type ControlClient, controlClient } from '../control-client.ts';
import { type RunningSimulator, startSimulator } from '../start.ts';
import { startEndpoint } from '../webhook/test-endpoint.ts';

const PERSON = 424_242;

let dataDir: string;
let running: RunningSimulator[];

beforeEach(async () => {
  dataDir = await throwAwayDir();
  running = [];
});
afterEach(async () => {
  for (const simulator of running) await simulator.stop();
  await removeDir(dataDir);
});

async function start(): Promise<RunningSimulator & { control: ControlClient }> {
  const simulator = await startSimulator({ dataDir });
  running.push(simulator);
  return { ...simulator, control: controlClient(simulator.url) };
}

async function stop(simulator: RunningSimulator): Promise<void> {
  await simulator.stop();
  running = running.filter(({ url }) => url !== simulator.url);
}

async function ok<T>(url: string, bot: TestBot, method: string, params: object = {}): Promise<T> {
  const { body } = await callApi({ baseUrl: url } as never, bot, method, { ...params });
  if (!body.ok) throw new Error(`${method}: ${body.description}`);
  return body.result as T;
}

test('bots, chats, files and what waits are there after a restart, and ids go on', async () => {
  const first = await start();
  const bot = await first.control.createBot({ name: 'Echo' });
  await first.control.createPerson({ id: PERSON, firstName: 'Ada' });
  const said = await first.control.sendMessage({ person: PERSON, bot: bot.id, text: 'kept' });
  const file = { kind: 'document', name: 'a.txt', base64: Buffer.from('bytes').toString('base64') } as const;
  const { fileId } = await first.control.sendMessage({ person: PERSON, bot: bot.id, file });
  const [before] = (await first.control.pendingUpdates({ bot: bot.id })).updates.slice(-1);
  await stop(first);

  const second = await start();
  expect(await ok(second.url, bot, 'getMe')).toMatchObject({ id: bot.id, first_name: 'Echo' });
  const { messages } = await second.control.readChat({ person: PERSON, bot: bot.id });
  expect(messages[0]).toMatchObject({ message_id: said.messageId, text: 'kept' });
  const updates = await ok<{ update_id: number }[]>(second.url, bot, 'getUpdates', { timeout: 0 });
  expect(updates.at(-1)).toEqual(JSON.parse(before!));
  const { file_path } = await ok<{ file_path: string }>(second.url, bot, 'getFile', { file_id: fileId });
  expect(await (await fetch(`${second.url}/file/bot${bot.token}/${file_path}`)).text()).toBe('bytes');

  const lastId = updates.at(-1)!.update_id;
  await ok(second.url, bot, 'getUpdates', { timeout: 0, offset: lastId + 1 });
  await stop(second);
  const third = await start();
  expect((await third.control.pendingUpdates({ bot: bot.id })).count).toBe(0);
  const next = await third.control.sendMessage({ person: PERSON, bot: bot.id, text: 'new' });
  expect(next.messageId).toBe(said.messageId + 2);
  const [update] = await ok<{ update_id: number }[]>(third.url, bot, 'getUpdates', { timeout: 0 });
  expect(update!.update_id).toBe(lastId + 1);
});

test('a webhook is delivered to after a restart, what waited first', async () => {
  const endpoint = await startEndpoint((_, number) => ({ status: number === 1 ? 500 : 200, afterMs: 0 }));
  const first = await start();
  const bot = await first.control.createBot({});
  await first.control.createPerson({ id: PERSON });
  await ok(first.url, bot, 'setWebhook', { url: `${endpoint.url}`, secret_token: 'a-secret' });
  await first.control.setFault({ bot: bot.id, method: 'getme', effect: { kind: 'hang' } });
  await first.control.sendMessage({ person: PERSON, bot: bot.id, text: 'one' });
  await endpoint.untilDelivered(1);
  await stop(first);
  const second = await start();
  await second.control.sendMessage({ person: PERSON, bot: bot.id, text: 'two' });
  await waitFor(async () => (await second.control.pendingUpdates({ bot: bot.id })).count === 0);
  const texts = endpoint.delivered.map(({ body }) => (JSON.parse(body) as { message: { text: string } }).message.text);
  expect([texts[0], texts.at(-1), new Set(texts).size]).toEqual(['one', 'two', 2]);
  expect(endpoint.delivered.at(-1)!.headers['x-telegram-bot-api-secret-token']).toBe('a-secret');
  // Faults are not stored, so a restart removes them.
  await ok(second.url, bot, 'getMe');
  await endpoint.stop();
});

test('a simulator that is killed has kept all it has answered, and gives no id twice', async () => {
  let token: string | undefined;
  const answered: number[] = [];
  for (let life = 0; life < 3; life += 1) {
    const { url, kill } = await startProcess();
    const control = controlClient(url);
    const bot = token === undefined ? await control.createBot({}) : (await control.listBots())[0]!;
    expect(bot.token).toBe(token ?? bot.token);
    token = bot.token;
    await control.createPerson({ id: PERSON });
    const { messages } = await control.readChat({ person: PERSON, bot: bot.id }).catch(() => ({ messages: [] }));
    expect(messages.map(({ message_id }) => message_id)).toEqual(expect.arrayContaining(answered));
    const pending = await control.pendingUpdates({ bot: bot.id, limit: 100_000 });
    const updates = pending.updates.map((text) => JSON.parse(text) as { update_id: number; message: { text: string } });
    expect(new Set(updates.map(({ update_id }) => update_id)).size).toBe(updates.length);
    expect(updates.length).toBeGreaterThanOrEqual(answered.length);

    const writers = Array.from({ length: 4 }, async () => {
      for (;;) {
        const said = await control.sendMessage({ person: PERSON, bot: bot.id, text: 'x' }).catch(() => null);
        if (said === null) return;
        expect(answered).not.toContain(said.messageId);
        answered.push(said.messageId);
      }
    });
    const wanted = answered.length + 40;
    await waitFor(async () => answered.length >= wanted);
    await kill();
    await Promise.all(writers);
  }
}, 60_000);

test('a directory in use and a damaged file are refused with one sentence', async () => {
  await start();
  await expect(startSimulator({ dataDir })).rejects.toThrow(/simulator\.sqlite is in use by another simulator/);
  const other = await throwAwayDir();
  await writeFile(join(other, 'simulator.sqlite'), 'this is no database, but it is long enough to be one'.repeat(50));
  await expect(startSimulator({ dataDir: other })).rejects.toThrow(/simulator\.sqlite cannot be used/);
  await rm(other, { recursive: true });
});

/** Starts a simulator as a separate process, which a test can kill. */
async function startProcess(): Promise<{ url: string; kill(): Promise<void> }> {
  const child = spawn(process.execPath, [programEntry('simulator')], {
    env: { ...inheritedEnv(), PORT: '0', SIMULATOR_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const port = () => /"port":(\d+)/.exec(output)?.[1];
  await waitFor(async () => port() !== undefined || child.exitCode !== null, { timeoutMs: 20_000 });
  if (port() === undefined) throw new Error(`the simulator did not start: ${output}`);
  const kill = async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { url: `http://127.0.0.1:${port()}`, kill };
}
