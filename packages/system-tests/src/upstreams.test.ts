import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import type { UpstreamResource } from '@flotilla/contract/upstreams.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { type RunningSimulator, startSimulator } from '@flotilla/simulator/start.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { startTcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

let fleet: Fleet;
let local: RunningSimulator;
let atLocal: ControlClient;

beforeAll(async () => {
  local = await startSimulator();
  atLocal = controlClient(local.url);
  fleet = await startFleet({ apis: 1, workers: 1 });
}, 60_000);
afterAll(async () => {
  await fleet?.stop();
  await local?.stop();
}, 60_000);

const addUpstream = (name: string, url: string, fields: object = {}) =>
  fleet.rest<UpstreamResource>('/api/upstreams/add', { name, url, proxy: 'direct', ...fields });
const listed = async (name: string) =>
  (await fleet.rest<UpstreamResource[]>('/api/upstreams')).find((one) => one.name === name);
const addAt = async (upstream: string, control: ControlClient, fields: object = {}): Promise<FleetBot> => {
  const made = await control.createBot({});
  const { id } = await fleet.rest<{ id: number }>('/api/bots/add', { token: made.token, upstream, ...fields });
  return { id, token: made.token, platformId: made.id, username: made.username };
};
const readerOf = async (control: ControlClient, { platformId }: FleetBot): Promise<number> => {
  const { id } = await control.createPerson({});
  await control.startBot({ person: id, bot: platformId, quietly: true });
  return id;
};
const textsAt = async (control: ControlClient, { platformId }: FleetBot) => {
  const { calls } = await control.readCalls({ bot: platformId, method: 'sendMessage' });
  return calls.map(({ params }) => params.text);
};
const sendByOutbox = async (bot: FleetBot, chat_id: number, text: string) =>
  fleet.rest<OutboxEntryResource>('/api/outbox/add', {
    ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id, text } },
  });
const stateOf = async ({ id }: OutboxEntryResource) =>
  (await fleet.rest<OutboxEntryResource>(`/api/outbox/show?id=${id}`)).state;

test('everything that a bot does goes to its own server: intake, sends, files, the proxy and its webhook', async () => {
  const added = await addUpstream('local', local.url, { webhook_url: fleet.url });
  expect(added).toMatchObject({ state: 'unknown', bots: 0 });
  const bot = await addAt('local', atLocal, { long_poll_enabled: true });
  const chat = await readerOf(atLocal, bot);
  await atLocal.sendMessage({ person: chat, bot: bot.platformId, text: 'polled' });
  const poll = () =>
    fleet.rest<{ result: { message?: { text: string } }[] }>(`/api/updates/poll?bot_id=${bot.id}&timeout=5`);
  expect((await poll()).result.at(-1)?.message?.text).toBe('polled');

  await fleet.rest('/api/messages/send', { bot_id: bot.id, chat_id: chat, text: 'by REST' });
  const proxied = await fetch(`${fleet.url}/tgapi/bot${bot.token}/sendMessage?chat_id=${chat}&text=proxied`);
  expect(proxied.status).toBe(200);
  const queued = await sendByOutbox(bot, chat, 'queued');
  await waitFor(async () => (await stateOf(queued)) === 'sent', { message: 'the entry being sent' });
  expect(await textsAt(atLocal, bot)).toEqual(['by REST', 'proxied', 'queued']);

  await fleet.rest('/api/bots/update', { id: bot.id, webhook_mode: true });
  expect((await atLocal.readWebhook({ bot: bot.platformId })).url).toBe(`${fleet.url}/telegram/${bot.id}`);
  await fleet.rest('/api/bots/delete', { id: bot.id });
  expect((await atLocal.readWebhook({ bot: bot.platformId })).url).toBe('');
  await waitFor(async () => (await listed('local'))?.state === 'ok', { message: 'the server being known to answer' });
});

test('a server that does not answer delays no bot of another, and is named', async () => {
  const relay = await startTcpRelay(local.port);
  try {
    await addUpstream('far', `http://127.0.0.1:${relay.port}`);
    const stuck: FleetBot[] = [];
    while (stuck.length < 4) stuck.push(await addAt('far', atLocal));
    const bot = await fleet.addBot();
    const chat = await readerOf(fleet.control, bot);
    const chats = await Promise.all(stuck.map((one) => readerOf(atLocal, one)));
    relay.hang();
    const waiting = await Promise.all(stuck.map((one, at) => sendByOutbox(one, chats[at]!, 'late')));
    const abandoned = new AbortController();
    const hangs = stuck.map(({ token }) =>
      fetch(`${fleet.url}/tgapi/bot${token}/getMe`, { signal: abandoned.signal }).catch(() => null),
    );
    const sent = await sendByOutbox(bot, chat, 'at once');
    await waitFor(async () => (await stateOf(sent)) === 'sent', { message: 'the other bot sending', timeoutMs: 8_000 });
    expect((await fetch(`${fleet.url}/tgapi/bot${bot.token}/getMe`)).status).toBe(200);
    abandoned.abort();
    await Promise.all(hangs);
    await relay.cut();
    await waitFor(async () => (await listed('far'))?.state === 'failing', {
      message: 'the server being known to fail',
    });
    const states = await fleet.rest<{ last_error: string }[]>(`/api/bots?ids=${stuck.map(({ id }) => id).join(',')}`);
    expect(states.map(({ last_error: error }) => error).join('\n')).toContain('upstream far');
    await relay.restore();
    await waitFor(
      async () => (await Promise.all(waiting.map(stateOf))).every((state) => state === 'sent' || state === 'in_doubt'),
      { message: 'what waited being sent', timeoutMs: 60_000 },
    );
    await waitFor(async () => (await listed('far'))?.state === 'ok', { message: 'the server being known to answer' });
  } finally {
    await relay.stop();
  }
}, 120_000);
