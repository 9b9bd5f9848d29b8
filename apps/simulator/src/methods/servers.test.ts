import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { callApi } from '../conformance/conformance-target.ts';
import { type ControlClient, controlClient } from '../control-client.ts';
import { CLOUD_LOGGED_OUT_MS } from '../simulator.ts';
import { type RunningSimulator, startSimulator } from '../start.ts';

let cloud: RunningSimulator;
let local: RunningSimulator;
let control: ControlClient;

beforeAll(async () => {
  cloud = await startSimulator({
    settings: { serverName: 'cloud', localMode: false, loggedOutMs: CLOUD_LOGGED_OUT_MS },
  });
  local = await startSimulator({ beside: cloud, settings: { serverName: 'local', firstUpdateId: 5 } });
  control = controlClient(cloud.url);
});
afterAll(async () => {
  await local.stop();
  await cloud.stop();
});

type Bot = { id: number; token: string };

async function call(server: RunningSimulator, bot: Bot, method: string, params: object = {}) {
  const target = { baseUrl: server.url, control, botFactory: (options: object) => control.createBot(options) };
  const { body } = await callApi(target, bot, method, { ...params });
  return body.ok ? body.result : body.description;
}

const idsOf = (updates: unknown) => (updates as { update_id: number }[]).map(({ update_id: id }) => id);

async function botWithPerson() {
  const bot = await control.createBot({ nextUpdateId: 900 });
  const { id: person } = await control.createPerson({});
  await control.startBot({ person, bot: bot.id, quietly: true });
  return { bot, say: (text: string) => control.sendMessage({ person, bot: bot.id, text }) };
}

test('a bot moves by logOut: ids are those of its server, and what comes in between waits for the next one', async () => {
  const { bot, say } = await botWithPerson();
  await say('at the cloud');
  expect(idsOf(await call(cloud, bot, 'getUpdates'))).toEqual([900]);
  const waits = call(cloud, bot, 'getUpdates', { offset: 901, timeout: 30 });
  await waitFor(async () => (await control.readCalls({ bot: bot.id })).pollsNow === 1);
  expect(await call(cloud, bot, 'logOut')).toBe(true);
  expect(await waits).toEqual([]);
  await say('between');
  expect(await call(cloud, bot, 'getMe')).toBe('Logged out');
  expect(idsOf(await call(local, bot, 'getUpdates'))).toEqual([5]);
  expect(await call(local, bot, 'getWebhookInfo')).toMatchObject({ pending_update_count: 1 });

  expect(await call(local, bot, 'logOut')).toBe(true);
  expect(await call(cloud, bot, 'getMe')).toBe('Logged out');
  await control.setLogOutWait({ seconds: 0 });
  await say('back');
  expect(idsOf(await call(cloud, bot, 'getUpdates'))).toEqual([901]);
  const { calls } = await control.readCalls({ bot: bot.id, method: 'getupdates' });
  expect(calls.map(({ server }) => server)).toEqual(['cloud', 'cloud', 'local', 'cloud']);
});

test('a bot that is called at a second server without a logOut loses what waits at the first', async () => {
  const { bot, say } = await botWithPerson();
  await say('lost');
  expect(await call(local, bot, 'getMe')).toMatchObject({ id: bot.id });
  await say('kept');
  const { updates, dropped } = await control.pendingUpdates({ bot: bot.id });
  expect([updates.join(), dropped.join()]).toEqual([
    expect.stringMatching(/^(?!.*lost).*kept/s),
    expect.stringMatching(/^(?!.*kept).*lost/s),
  ]);
});
