import type { BotResource } from '@flotilla/contract/bots.ts';
import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import type { SystemResource } from '@flotilla/contract/system.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { type RunningSimulator, startSimulator } from '@flotilla/simulator/start.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

let fleet: Fleet;
let local: RunningSimulator;
let relay: TcpRelay;
/** At which the server reaches Flotilla. */
let entry: TcpRelay;
let atLocal: ControlClient;

beforeAll(async () => {
  local = await startSimulator();
  atLocal = controlClient(local.url);
  relay = await startTcpRelay(local.port);
  entry = await startTcpRelay(() => fleet.apis[0]!.port);
  const far = `far=http://127.0.0.1:${relay.port};proxy=direct`;
  fleet = await startFleet(
    { apis: 1, workers: 1 },
    {
      TELEGRAM_UPSTREAMS: `local=${local.url};proxy=direct;webhook=http://127.0.0.1:${entry.port}, ${far}`,
    },
  );
}, 60_000);
afterAll(async () => {
  await fleet?.stop();
  await relay?.stop();
  await entry?.stop();
  await local?.stop();
}, 60_000);

const listed = async (name: string) =>
  (await fleet.rest<SystemResource>('/api/system')).upstreams?.find((one) => one.name === name);
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
  expect((await atLocal.readWebhook({ bot: bot.platformId })).url).toBe(
    `http://127.0.0.1:${entry.port}/telegram/${bot.id}`,
  );
  await atLocal.sendMessage({ person: chat, bot: bot.platformId, text: 'pushed' });
  await waitFor(async () => (await poll()).result.at(-1)?.message?.text === 'pushed', { message: 'the pushed update' });
  await fleet.rest('/api/bots/delete', { id: bot.id });
  expect((await atLocal.readWebhook({ bot: bot.platformId })).url).toBe('');
  await waitFor(async () => (await listed('local'))?.state === 'ok', { message: 'the server being known to answer' });
});

test('a server that does not answer delays no bot of another, and is named', async () => {
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
  const errors = states.map(({ last_error: error }) => error).join('\n');
  expect(errors).toContain('upstream far');
  // The address is for the operator.
  expect(errors + (await listed('far'))?.error).not.toContain('127.0.0.1');
  await relay.restore();
  await waitFor(
    async () => (await Promise.all(waiting.map(stateOf))).every((state) => state === 'sent' || state === 'in_doubt'),
    { message: 'what waited being sent', timeoutMs: 60_000 },
  );
  await waitFor(async () => (await listed('far'))?.state === 'ok', { message: 'the server being known to answer' });
}, 120_000);

test('a rule between servers takes a file from the server of its source, and sends it at that of its target', async () => {
  const [source, target] = [await addAt('local', atLocal), await fleet.addBot()];
  const [person, chat] = [await readerOf(atLocal, source), await readerOf(fleet.control, target)];
  const to = { target_bot_id: target.id, target_chat_id: chat, action: 'copy', condition_type: 'all' };
  await fleet.rest('/api/routes/add', { source_bot_id: source.id, condition_value: '', ...to });
  const base64 = Buffer.from('from the local server').toString('base64');
  await atLocal.sendMessage({
    ...{ person, bot: source.platformId, file: { kind: 'document', name: 'a.txt', base64 } },
  });
  const sent = await waitFor(
    async () => (await fleet.control.readCalls({ bot: target.platformId, method: 'sendDocument' })).calls[0],
    { message: 'the copy', timeoutMs: 20_000 },
  );
  expect(sent?.params).toMatchObject({ chat_id: String(chat) });
});

test('history, takeover and read-only mode work for a bot of another server', async () => {
  const bot = await addAt('local', atLocal, { long_poll_enabled: true });
  const chat = await readerOf(atLocal, bot);
  const write = (text: string) => atLocal.sendMessage({ person: chat, bot: bot.platformId, text });
  const inChat = { bot_id: bot.id, chat_id: chat };
  const history = async () =>
    (await fleet.rest<{ text?: string }[]>(`/api/messages?bot_id=${bot.id}&chat_id=${chat}`)).map(({ text }) => text);
  const has = (text: string) =>
    waitFor(async () => (await history()).includes(text), { message: text, timeoutMs: 20_000 });
  await write('begin');
  await has('begin');
  await fleet.rest('/api/chats/takeover', inChat);
  await write('held');
  await has('held');
  await fleet.rest('/api/messages/send', { ...inChat, text: 'by a person' });
  const polled = await fleet.rest<object>(`/api/updates/poll?bot_id=${bot.id}&timeout=0`);
  expect(JSON.stringify(polled)).not.toContain('held');
  await fleet.rest('/api/chats/release', { ...inChat, deliver_missed: false });
  await fleet.rest('/api/system/read-only', { read_only: true, reason: 'a test' });
  await expect(fleet.rest('/api/messages/send', { ...inChat, text: 'refused' })).rejects.toThrow('503');
  await write('while read-only');
  await has('while read-only');
  await fleet.rest('/api/system/read-only', { read_only: false });
  expect(await textsAt(atLocal, bot)).toEqual(['by a person']);
});

test('bots whose server is named no more get nothing, and say why', async () => {
  const bot = await addAt('local', atLocal);
  const chat = await readerOf(atLocal, bot);
  for (const worker of fleet.workers.splice(0)) await worker.stop();
  await fleet.start('worker', { TELEGRAM_UPSTREAMS: '' });
  const shown = () => fleet.rest<BotResource>(`/api/bots/show?id=${bot.id}`);
  await waitFor(async () => (await shown()).last_error !== '', { message: 'the error', timeoutMs: 20_000 });
  expect((await shown()).last_error).toBe(
    'The upstream local could not be reached: TELEGRAM_UPSTREAMS has no server of this name',
  );
  const waits = await sendByOutbox(bot, chat, 'waits');
  await waitFor(
    async () => JSON.stringify(await fleet.rest(`/api/attention?bot_id=${bot.id}`)).includes('TELEGRAM_UPSTREAMS'),
    {
      ...{ message: 'the attention', timeoutMs: 20_000 },
    },
  );
  expect(await stateOf(waits)).not.toBe('sent');
  // Each process warns of the others: a name that means another server there would mix the updates of bots.
  const warns = async () =>
    (await (await fetch(`${fleet.url}/readyz`)).text()).includes(
      'Another process of the fleet has other Bot API servers',
    );
  await waitFor(warns, { message: 'the warning of the api', timeoutMs: 20_000 });
  expect(fleet.workers[0]?.output()).toContain('TELEGRAM_UPSTREAMS has no server of this name');
}, 60_000);
