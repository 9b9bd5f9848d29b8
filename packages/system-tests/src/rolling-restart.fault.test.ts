import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { freePort } from '@flotilla/embedded/free-port.ts';
import type { ControlClient } from '@flotilla/simulator/control-client.ts';
import { startBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import type { FleetProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { type Nginx, startNginx } from '@flotilla/testing/fleet/nginx.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type EchoBot, LIBRARIES, type Library, startEchoBot } from './echo-bots/start-echo-bot.ts';
import { ledger } from './ledger.ts';
import { startPuller } from './puller.ts';

let fleet: Fleet;
let nginx: Nginx;
let ended: FleetProcess[];
let bots: EchoBot[];

beforeEach(async () => {
  const [port, ...apiPorts] = [await freePort(), await freePort(), await freePort()];
  ended = [];
  bots = [];
  fleet = await startFleet(
    { apis: 0, workers: 2 },
    { PUBLIC_URL: `http://127.0.0.1:${port}`, BALANCER_NOTICE_SECONDS: '5', TRUSTED_PROXIES: '127.0.0.1' },
  );
  for (const apiPort of apiPorts) await fleet.start('api', {}, apiPort);
  nginx = await startNginx({ port, apiPorts });
}, 60_000);
afterEach(async () => {
  await Promise.all(bots.map((bot) => bot.stop()));
  await nginx?.stop();
  await fleet?.stop();
}, 60_000);

/** Restarts each process in turn, as an orchestrator does: SIGTERM, wait for the end, start, wait until ready. */
async function restartAll(): Promise<void> {
  for (const old of [...fleet.apis, ...fleet.workers]) {
    expect(await old.stop()).toBe(0);
    const running = old.role === 'api' ? fleet.apis : fleet.workers;
    running.splice(running.indexOf(old), 1);
    ended.push(old);
    await fleet.start(old.role, {}, old.role === 'api' ? old.port : undefined);
  }
}

/** No client got an error, and no process left a turn behind. */
async function expectNoFailures(): Promise<void> {
  const requests = await nginx.requests();
  expect(requests.length).toBeGreaterThan(100);
  expect(requests.filter(({ status }) => status !== 200 && status !== 206)).toEqual([]);
  // nginx tries the next pod only when a pod was unreachable, never after it has sent the request.
  const elsewhere = requests.filter(({ tried }) => tried.length > 1);
  expect(elsewhere.length).toBeGreaterThan(0);
  for (const { tried } of elsewhere) expect(tried.slice(0, -1).every((status) => status === 502)).toBe(true);
  const told = [...ended, ...fleet.apis, ...fleet.workers].map((process) => process.output()).join('');
  expect(told.split('\n').filter((line) => /left behind|in time|could not be stopped/.test(line))).toEqual([]);
}

async function startProgram(library: Library, mode: 'pull' | 'webhook') {
  const bot = await fleet.addBot({ long_poll_enabled: mode === 'pull' });
  const apiRoot = `${nginx.url}/tgapi`;
  const echo = await startEchoBot(library, { apiRoot, token: bot.token, mode, secret: 'a-secret_1' });
  bots.push(echo);
  return { name: `${library}, ${mode}`, bot, echo };
}

/** The output of a bot, without its libraries' own warnings. */
function complaintsOf(echo: EchoBot): string[] {
  const lines = echo.output().split('\n');
  return lines.filter((line) => line !== '' && line !== 'ready' && !/warning|warn\(|--trace-/i.test(line));
}

describe('while every process is restarted in turn behind nginx', () => {
  test('no call of a bot in any library fails, and each chat is answered once and in order', async () => {
    const programs: { name: string; bot: FleetBot; echo: EchoBot }[] = [];
    // Starting all at once would keep the machine busy for long.
    for (const library of LIBRARIES) {
      programs.push(...(await Promise.all([startProgram(library, 'pull'), startProgram(library, 'webhook')])));
    }
    const texts = programs.map(({ bot }) => startTalk(bot, TEXTS));
    const documents = programs.map(({ bot }) => startTalk(bot, DOCUMENTS));
    await restartAll();
    // One after the other: the simulated platform, which answers these checks, is busy.
    for (const [at, { name }] of programs.entries()) {
      for (const talk of [texts[at]!, documents[at]!]) {
        const { said, answered } = await talk.stop();
        expect([name, answered]).toEqual([name, said]);
      }
    }
    await expectNoFailures();
    for (const { name, echo } of programs) expect([name, complaintsOf(echo)]).toEqual([name, []]);
  }, 240_000);

  test('under 300 updates a second nothing is lost, nothing comes twice and no request fails', async () => {
    const seconds = 40;
    const perChat = (seconds * 100) / 10;
    const books = { polled: ledger(), pushed: ledger(), pulled: ledger() };
    const backend = await startBackend((request, response) => {
      (request.url === '/polled' ? books.polled : books.pushed).record(request.text);
      response.end();
    });
    const polled = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/polled` });
    const pushed = await fleet.addBot({
      proxy_enabled: true,
      webhook_mode: true,
      backend_url: `${backend.url}/pushed`,
    });
    const pulled = await fleet.addBot({ long_poll_enabled: true });
    const puller = startPuller(
      () => nginx.url,
      pulled.token,
      (update) => books.pulled.record(update),
    );
    const calls = startCalls(pulled.token);
    const loaded = [polled, pushed, pulled].map(({ platformId }) => platformId);
    await fleet.control.generate({ bots: loaded, chats: 10, count: seconds * 300, perSecond: 300 });
    await restartAll();
    const count = () => Object.values(books).map((book) => book.count());
    await waitFor(() => count().every((arrived) => arrived === seconds * 100), { timeoutMs: 60_000 }).catch(() => {});
    expect(count()).toEqual([seconds * 100, seconds * 100, seconds * 100]);
    for (const book of Object.values(books)) expect([book.faults(perChat), book.duplicates()]).toEqual([[], 0]);
    expect(await calls.stop()).toEqual([]);
    await expectNoFailures();
    expect(await puller.stop()).toEqual([]);
    await backend.stop();
  }, 180_000);
});

type Sending = { everyMs: number; send(control: ControlClient, person: number, bot: number): Promise<string> };

const TEXTS: Sending = {
  everyMs: 700,
  send: async (control, person, bot) => {
    const text = randomUUID();
    await control.sendMessage({ person, bot, text });
    return text;
  },
};
const DOCUMENTS: Sending = {
  everyMs: 2_000,
  send: async (control, person, bot) => {
    const bytes = randomBytes(300_000);
    await control.sendMessage({ person, bot, file: { kind: 'document', name: 'a', base64: bytes.toString('base64') } });
    return createHash('sha256').update(bytes).digest('hex');
  },
};

/** Sends messages to a bot from a new chat until stopped; stop returns what was sent and what the bot sent back. */
function startTalk(bot: FleetBot, { everyMs, send }: Sending) {
  const said: string[] = [];
  let stopped = false;
  const opened = fleet.control.createPerson({ firstName: 'Ann' });
  const talking = opened.then(async ({ id }) => {
    while (!stopped) {
      said.push(await send(fleet.control, id, bot.platformId));
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  });
  // Only stop awaits this promise; a test that fails earlier never does, so handle a rejection here.
  talking.catch(() => undefined);
  const answers = async () => {
    const { messages } = await fleet.control.readChat({ person: (await opened).id, bot: bot.platformId });
    const ofBot = messages.filter(({ from }) => (from as { id?: number } | undefined)?.id === bot.platformId);
    return ofBot.map(({ text, file }) => text ?? file?.sha256);
  };
  return {
    stop: async () => {
      stopped = true;
      await talking;
      await waitFor(async () => (await answers()).length >= said.length, { timeoutMs: 20_000 }).catch(() => undefined);
      return { said, answered: await answers() };
    },
  };
}

/** Calls the REST API and the proxy until stopped; stop returns the failures. */
function startCalls(token: string) {
  let stopped = false;
  const failed: string[] = [];
  const call = async (path: string, init: RequestInit) => {
    const answer = await fetch(`${nginx.url}${path}`, init).then(
      async (response) => (response.ok ? '' : `${response.status} ${await response.text()}`),
      (error: unknown) => String(error),
    );
    if (answer !== '') failed.push(answer);
  };
  const looping = async (path: string, init: RequestInit) => {
    while (!stopped) {
      await call(path, init);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const running = [
    looping('/api/bots', { headers: { authorization: `Bearer ${ADMIN_KEY}` } }),
    looping(`/tgapi/bot${token}/getMe`, { method: 'POST' }),
    looping(`/tgapi/bot${token}/getMe`, {}),
  ];
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(running);
      return failed;
    },
  };
}
