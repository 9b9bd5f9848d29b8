import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const PERSON = 424_242;

let fleet: Fleet;
/** The bot's own program. */
let backend: TestBackend;
let bot: FleetBot;
let child: ChildProcess;
let output = '';
const got: { text: string; secret: unknown }[] = [];
let local: Server;
let localPort = 0;

beforeAll(async () => {
  [fleet, backend] = await Promise.all([startFleet({ apis: 2, workers: 1 }), startBackend()]);
  bot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/hook`, secret_token: 'a-secret' });
  await fleet.control.createPerson({ id: PERSON });
  await fleet.control.startBot({ person: PERSON, bot: bot.platformId });
  await startLocal();
  const args = ['--bot', `${bot.id}`, '--to', `http://127.0.0.1:${localPort}`, '--api', fleet.url, '--key', ADMIN_KEY];
  child = spawn(process.execPath, [join(ROOT, 'scripts/tail.mjs'), ...args], {
    env: { ...inheritedEnv() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (bytes) => (output += bytes));
  await waitFor(() => output.includes('Ctrl-C ends it'), { timeoutMs: 30_000, message: 'the tail' });
  await waitFor(async () => {
    await say('are you there');
    return got.length > 0;
  });
}, 90_000);
afterAll(async () => {
  child?.kill('SIGKILL');
  local?.closeAllConnections();
  local?.close();
  await backend?.stop();
  await fleet?.stop();
}, 60_000);

async function startLocal(): Promise<void> {
  local = createServer((request, response) => {
    let text = '';
    request.on('data', (bytes) => (text += bytes));
    request.on('end', () => {
      got.push({ text, secret: request.headers['x-telegram-bot-api-secret-token'] });
      response.end();
    });
  });
  await new Promise<void>((resolve) => local.listen(localPort, '127.0.0.1', resolve));
  localPort = (local.address() as AddressInfo).port;
}

const say = (text: string) => fleet.control.sendMessage({ person: PERSON, bot: bot.platformId, text });
const textsIn = (bodies: string[]) =>
  bodies.map((body) => (JSON.parse(body) as { message?: { text?: string } }).message?.text).filter((text) => text);
const numbered = (texts: (string | undefined)[]) => texts.filter((text) => text?.startsWith('number '));
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `number ${from + at}`);

/** Says the numbers one after the other. */
async function count(from: number, to: number): Promise<void> {
  for (let at = from; at <= to; at += 1) await say(`number ${at}`);
}

async function expectAll(last: number): Promise<void> {
  const local = () => numbered(textsIn(got.map(({ text }) => text)));
  await waitFor(() => local().length >= last, { timeoutMs: 30_000, message: `${last} updates at the local program` });
  expect(local()).toEqual(numbers(1, last));
  const own = () => numbered(textsIn(backend.requests.map(({ text }) => text)));
  await waitFor(() => own().length >= last, { timeoutMs: 30_000, message: `${last} updates at the backend` });
  expect(own()).toEqual(numbers(1, last));
}

test('a local program gets the updates in their order with the secret, and so does the backend of the bot', async () => {
  await count(1, 30);
  await expectAll(30);
  expect(new Set(got.map(({ secret }) => secret))).toEqual(new Set(['a-secret']));
});

test('nothing is lost while the local program is restarted', async () => {
  local.closeAllConnections();
  await new Promise((resolve) => local.close(resolve));
  await count(31, 45);
  await waitFor(() => output.includes('is not there'));
  await startLocal();
  await expectAll(45);
});

test('nothing is lost while the api processes are replaced, one by a signal and one by a kill', async () => {
  const [first, second] = [...fleet.apis];
  const saying = count(46, 75);
  await fleet.start('api');
  await first!.stop();
  fleet.apis.splice(fleet.apis.indexOf(first!), 1);
  await saying;
  await expectAll(75);
  const more = count(76, 105);
  fleet.apis.splice(fleet.apis.indexOf(second!), 1);
  await second!.kill();
  await more;
  await expectAll(105);
}, 60_000);

test('a burst that is larger than the stream allows is read again, and arrives whole', async () => {
  const filler = 'x'.repeat(3_900);
  for (let at = 1; at <= 60; at += 1) await say(`burst ${at} ${filler}`);
  const bursts = () => textsIn(got.map(({ text }) => text)).filter((text) => text?.startsWith('burst '));
  await waitFor(() => bursts().length >= 60, { timeoutMs: 30_000, message: 'the burst' });
  expect(bursts().map((text) => Number(text?.split(' ')[1]))).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
}, 60_000);

test('a press on a button that was sent by REST comes to the tail, and into the history as a callback', async () => {
  const sent = await fleet.rest<MessageResource>('/api/messages/send', {
    ...{ bot_id: bot.id, chat_id: PERSON, text: 'Sure?' },
    reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] },
  });
  await fleet.control.pressButton({ person: PERSON, bot: bot.platformId, messageId: sent.id, data: 'yes' });
  await waitFor(() => got.some(({ text }) => text.includes('"callback_query"')));
  const rows = await waitFor(async () => {
    const path = `/api/messages?bot_id=${bot.id}&chat_id=${PERSON}&media_type=callback`;
    const found = await fleet.rest<MessageResource[]>(path);
    return found.length > 0 && found;
  });
  expect(rows).toMatchObject([{ text: 'yes', reply_to_message_id: sent.id, user_id: PERSON }]);
});

test('an interrupt ends it with totals; its key was never shown', async () => {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(output).toMatch(/\d+ delivered, 0 refused, 0 left\./);
  expect(output).not.toContain('may be missing');
  expect(output).not.toContain(ADMIN_KEY);
});
