import { randomBytes } from 'node:crypto';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { runMaintenance } from '@flotilla/testing/fleet/run-maintenance.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Ledger, ledger } from './ledger.ts';

const CHATS = 10;
const PER_SECOND = 50;
const PER_CHAT = 300;
const OLD = randomBytes(32).toString('base64');
const NEW = randomBytes(32).toString('base64');
const OLD_FIRST = `old:${OLD},new:${NEW}`;
const NEW_FIRST = `new:${NEW},old:${OLD}`;
const NEW_ALONE = `new:${NEW}`;

let fleet: Fleet;
let book: Ledger;
let backend: TestBackend;
let polled: FleetBot;

beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 2 }, { ENCRYPTION_KEY: OLD });
  book = ledger();
  backend = await startBackend((request, response) => {
    book.record(request.text);
    response.end();
  });
  polled = await fleet.addBot({ long_poll_enabled: true });
}, 60_000);
afterAll(async () => {
  await backend.stop();
  await fleet.stop();
}, 60_000);

/** Replaces the processes one after the other by processes with this key. */
async function deploy(key: string): Promise<void> {
  for (const role of ['api', 'worker'] as const) {
    const running = role === 'api' ? fleet.apis : fleet.workers;
    for (const process of [...running]) {
      await fleet.start(role, { ENCRYPTION_KEY: key });
      running.splice(running.indexOf(process), 1);
      await process.stop();
    }
  }
}

const rotate = (key: string, ...args: string[]) =>
  runMaintenance(['rotate-keys', ...args], {
    DATABASE_URL: fleet.database.url,
    REDIS_URL: fleet.redis.url,
    ENCRYPTION_KEY: key,
  });

async function signIn(): Promise<string> {
  const response = await fetch(`${fleet.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: 'a password for tests' }),
  });
  expect(response.status).toBe(200);
  return cookieOf(response) ?? '';
}

const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0];

/** Calls everything that needs a secret until the returned function stops it and returns the failures. */
function keepCalling(bot: FleetBot, cookie: string): () => Promise<string[]> {
  const wrong: string[] = [];
  let browser = cookie;
  let stopped = false;
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${fleet.url}${path}`, init).catch(String);
    if (typeof response === 'string') return void wrong.push(`${path}: ${response}`);
    browser = cookieOf(response) ?? browser;
    if (!response.ok) wrong.push(`${path}: ${response.status} ${await response.text()}`);
    else await response.arrayBuffer();
  };
  const calling = (async () => {
    for (let n = 0; !stopped; n += 1) {
      await call(`/tgapi/bot${polled.token}/getMe`);
      await call('/api/bots', { headers: { cookie: browser } });
      const changed = fleet.rest('/api/bots/update', { id: bot.id, secret_token: `secret-${n}` });
      await changed.catch((error: Error) => wrong.push(error.message));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return async () => {
    stopped = true;
    await calling;
    return wrong;
  };
}

test('the key is rotated step by step under traffic: nothing fails, and the old key is not needed any more', async () => {
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url, secret_token: 'secret' });
  const stopCalling = keepCalling(bot, await signIn());
  await fleet.control.generate({
    bots: [bot.platformId],
    chats: CHATS,
    count: CHATS * PER_CHAT,
    perSecond: PER_SECOND,
  });

  await deploy(OLD_FIRST);
  await deploy(NEW_FIRST);
  const before = await rotate(NEW_FIRST, '--check');
  expect(before).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('Not done: some secrets need other keys'),
  });
  const tooEarly = await rotate(NEW_ALONE);
  expect(tooEarly).toMatchObject({ exitCode: 1, output: expect.stringContaining('no listed key opens') });
  expect(await rotate(NEW_FIRST)).toMatchObject({ exitCode: 0, output: expect.stringContaining('Done: "new" opens') });
  expect(await rotate(NEW_ALONE, '--check')).toMatchObject({ exitCode: 0 });
  await deploy(NEW_ALONE);

  await waitFor(() => book.count() === CHATS * PER_CHAT, { timeoutMs: 90_000, message: 'every update to arrive' });
  expect(await stopCalling()).toEqual([]);
  expect(book.faults(PER_CHAT)).toEqual([]);
  const outputs = [before, tooEarly].map(({ output }) => output).join('');
  for (const secret of [OLD, NEW, bot.token, polled.token]) expect(outputs).not.toContain(secret);
}, 400_000);
