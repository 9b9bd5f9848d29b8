import { randomInt } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { seededRandom } from '@flotilla/testing/random.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const PAIRS = 1000;
const PAIRS_AT_ONCE = 10;
const TRIES_AFTERWARDS = 20;
const ME = '{"ok":true,"result":{"id":1,"is_bot":true,"first_name":"B","username":"b_bot"}}';

type Deed = 'answer' | 'fail' | 'flood' | 'lose the call' | 'lose the answer' | 'break the answer off' | 'hold';

let redis: TestRedis;
let fleet: Fleet;
let platform: Server;
let bot: FleetBot;
let deedOf: (text: string) => { deed: Deed; afterMs: number };
/** How often each text was sent to a chat, and the texts whose answer the platform broke off. */
const sent = new Map<string, number>();
const broken = new Set<string>();
const held: { text: string; response: ServerResponse }[] = [];

beforeAll(async () => {
  platform = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (!/\/sendMessage$/.test(request.url ?? '')) return void response.end(ME);
      const { text } = JSON.parse(Buffer.concat(pieces).toString()) as { text: string };
      void act(text, response);
    });
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  redis = await startTestRedis();
  const TELEGRAM_API_URL = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  fleet = await startFleet({ apis: 2, workers: 0 }, { TELEGRAM_API_URL }, undefined, redis);
  bot = await fleet.addBot();
  await waitForBot();
}, 120_000);
afterAll(async () => {
  await fleet?.stop();
  await redis?.stop();
  platform?.closeAllConnections();
  platform?.close();
}, 60_000);

async function waitForBot(): Promise<void> {
  for (const { port } of fleet.apis) {
    await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true);
  }
}

async function act(text: string, response: ServerResponse): Promise<void> {
  const { deed, afterMs } = deedOf(text);
  await delay(afterMs);
  switch (deed) {
    case 'fail':
      response.writeHead(500).end('{"ok":false,"error_code":500,"description":"Internal Server Error"}');
      return;
    case 'flood':
      response.writeHead(429).end('{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 1"}');
      return;
    case 'lose the call':
      broken.add(text);
      response.socket?.destroy();
      return;
  }
  const count = (sent.get(text) ?? 0) + 1;
  sent.set(text, count);
  const answer = `{"ok":true,"result":{"message_id":${count},"text":${JSON.stringify(text)}}}`;
  response.setHeader('content-length', answer.length);
  if (deed === 'hold') held.push({ text, response });
  else if (deed === 'answer') response.end(answer);
  else {
    broken.add(text);
    if (deed === 'break the answer off') response.write(answer.slice(0, 20));
    response.socket?.end();
    response.socket?.destroySoon();
  }
}

type Answer = { status: number; text: string };

/** Null if the client left before it had an answer. */
async function send(api: number, text: string, withKey = true, leavesAfterMs?: number): Promise<Answer | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${fleet.apis[api]?.port}/bot${bot.token}/sendMessage`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(withKey ? { 'idempotency-key': `key of ${text}`.replaceAll(' ', '-') } : {}),
      },
      body: JSON.stringify({ chat_id: 1, text }),
      ...(leavesAfterMs === undefined ? {} : { signal: AbortSignal.timeout(leavesAfterMs) }),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}

/** Two clients send the same at once, and may leave; then one of them asks until it knows. */
async function race(text: string, leaving: (number | undefined)[]): Promise<Answer[]> {
  const answers = await Promise.all([send(0, text, true, leaving[0]), send(1, text, true, leaving[1])]);
  for (let tries = 0; tries < TRIES_AFTERWARDS; tries++) {
    const last = await send(tries % 2, text);
    answers.push(last);
    if (last?.status === 200 || last?.status === 409) break;
  }
  return answers.filter((answer) => answer !== null);
}

test('of 1,000 pairs of racing calls with random cuts, each is sent once at most, and who does not know is told so', async () => {
  const random = seededRandom(randomInt(2 ** 32));
  const deeds: Deed[] = [
    ...Array.from({ length: 12 }, () => 'answer' as const),
    ...(['fail', 'fail', 'flood', 'lose the call', 'lose the answer', 'break the answer off'] as const),
  ];
  deedOf = () => ({ deed: random.oneOf(deeds), afterMs: random.between(0, 30) });
  const leaving = () => (random.between(0, 1) < 0.4 ? Math.ceil(random.between(0, 40)) : undefined);
  const faults: string[] = [];
  const outcomes = { known: 0, unknown: 0 };
  const racing = async (from: number) => {
    for (let at = from; at < PAIRS; at += PAIRS_AT_ONCE) {
      const text = `message ${at}`;
      const answers = await race(text, [leaving(), leaving()]);
      const successes = answers.filter(({ status }) => status === 200).map((answer) => answer.text);
      const times = sent.get(text) ?? 0;
      const last = answers.at(-1)?.status;
      if (last === 200) outcomes.known += 1;
      else outcomes.unknown += 1;
      if (times > 1) faults.push(`${text} was sent ${times} times`);
      if (last !== 200 && last !== 409) faults.push(`${text} ends with ${last}`);
      if (last === 200 && times !== 1) faults.push(`${text} was answered, and sent ${times} times`);
      if (new Set(successes).size > 1) faults.push(`${text} has several answers`);
      if (last === 409 && !broken.has(text)) faults.push(`${text} is unknown although nothing broke`);
    }
  };
  await Promise.all(Array.from({ length: PAIRS_AT_ONCE }, (_, at) => racing(at)));
  expect(faults).toEqual([]);
  expect(outcomes.known).toBeGreaterThan(PAIRS / 2);
  expect(outcomes.unknown).toBeGreaterThan(0);
}, 300_000);

test('without Redis a call with a key is refused and one without goes on; with Redis again, the first answer is still there', async () => {
  deedOf = () => ({ deed: 'answer', afterMs: 0 });
  const first = await send(0, 'before');
  redis.kill();
  await waitFor(async () => (await send(0, 'during'))?.status === 503);
  expect(await send(0, 'before')).toMatchObject({ status: 503 });
  expect(await send(1, 'without', false)).toMatchObject({ status: 200 });
  await redis.restart();
  const again = await waitFor(async () => {
    const answer = await send(1, 'before');
    return answer?.status === 200 ? answer : undefined;
  });
  expect(again).toEqual(first);
  await waitFor(async () => (await send(1, 'during'))?.status === 200);
  // The other api may find Redis again later.
  await waitFor(async () => (await send(0, 'before'))?.status === 200);
  expect([sent.get('before'), sent.get('during'), sent.get('without')]).toEqual([1, 1, 1]);
}, 120_000);

test('a call whose api is killed is not sent again: who waits for it is told that nobody knows', async () => {
  deedOf = () => ({ deed: 'hold', afterMs: 0 });
  const first = send(0, 'held');
  await waitFor(() => held.length === 1);
  const waiting = send(1, 'held');
  await fleet.apis[0]?.kill();
  expect(await first).toBeNull();
  const told = await waiting;
  expect(told?.status).toBe(409);
  expect(JSON.parse(told?.text ?? '')).toMatchObject({ ok: false, error_code: 409 });
  expect((await send(1, 'held'))?.status).toBe(409);
  expect(sent.get('held')).toBe(1);
}, 120_000);
