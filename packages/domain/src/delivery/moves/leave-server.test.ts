import type { ServerResponse } from 'node:http';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { platformClient } from '@flotilla/telegram/platform-client.ts';
import { type PollingClient, pollingClient } from '@flotilla/telegram/polling-client.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { logScene } from '@flotilla/testing/log-scene.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Bot } from '../../fleet/bots/bot.ts';
import { mirrorBot } from '../../fleet/bots/bot-mirror.ts';
import type { MemoryPressure } from '../../fleet/memory/memory-pressure.ts';
import { leaveServer } from './leave-server.ts';

const scene = logScene();
let database: TestDatabase;
let server: TestBackend;
let polling: PollingClient;
let poll: ServerResponse | undefined;
/** How the server ends a logOut, after it has answered the open poll with the last update. */
let endOfLogOut: (response: ServerResponse) => void;

const answer = (response: ServerResponse, result: string) => response.end(`{"ok":true,"result":${result}}`);

beforeAll(async () => {
  await scene.open();
  database = await testDatabase();
  server = await startBackend(({ url }, response) => {
    if (url.endsWith('/getUpdates')) poll = response;
    else if (url.endsWith('/logOut')) {
      if (poll) answer(poll, `[${scene.update(41)}]`);
      endOfLogOut(response);
    } else answer(response, '{"url":"","pending_update_count":0}');
  });
  polling = pollingClient({ apiUrl: server.url });
});
afterAll(async () => {
  polling.close();
  await server.stop();
  await database.drop();
  await scene.close();
});
beforeEach(() => {
  server.requests.length = 0;
  poll = undefined;
});

async function leave(
  bot: Bot,
  { pressure = 'relaxed', signal }: { pressure?: MemoryPressure; signal?: AbortSignal } = {},
) {
  const asked = { times: 0 };
  const deps = {
    ...scene.deps(),
    ...{ db: database.db, duringMoves: platformClient({ apiUrl: server.url }), pollingClient: polling },
    ...{ extraKinds: [], log: createLogger({ name: 'test', level: 'silent' }) },
    memory: { pressure: () => pressure, wrote: () => undefined },
    signal: signal ?? new AbortController().signal,
  };
  const left = await leaveServer(deps, bot, async () => {
    asked.times += 1;
    return true;
  });
  return { left, asked: asked.times, methods: server.requests.map(({ url }) => url.split('/').at(-1)) };
}

test('the last update is kept also if the answer to logOut is lost', async () => {
  const bot = await scene.registered({});
  endOfLogOut = (response) => response.destroy();
  expect((await leave(bot)).left).toMatchObject({ outcome: 'failed', stays: false });
  expect(await scene.idsOf(bot)).toEqual([41]);
});

test('a token that is refused is told so also where the open poll does not tell it first', async () => {
  const bot = await scene.registered({});
  endOfLogOut = (response) => response.writeHead(401).end('{"ok":false,"error_code":401,"description":"Unauthorized"}');
  expect((await leave(bot)).left).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('401') });
});

test('nothing is logged out while there is no room, the process stops, or Redis does not know the bot', async () => {
  const bot = await scene.registered({});
  endOfLogOut = (response) => answer(response, 'true');
  expect(await leave(bot, { pressure: 'short' })).toMatchObject({
    left: { outcome: 'no-room', isHere: false },
    asked: 0,
  });
  expect(await leave(bot, { signal: AbortSignal.abort() })).toMatchObject({ left: { outcome: 'lost' }, asked: 0 });
  const unknown = await leave({ ...bot, registration_id: 'another' });
  expect(unknown).toMatchObject({ left: { outcome: 'failed', stays: true }, asked: 0 });
  expect(server.requests).toEqual([]);
});

test('of a disabled bot, nobody can cancel the move any more when the server is asked what waits', async () => {
  const bot = await scene.registered({});
  await mirrorBot(scene.deps(), { ...bot, disabled: true, revision: 2 });
  endOfLogOut = (response) => answer(response, 'true');
  const { left, asked, methods } = await leave(bot);
  expect([left.outcome, asked, methods]).toEqual(['left', 2, ['getWebhookInfo', 'logOut']]);
});
