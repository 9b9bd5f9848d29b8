import type { BotResource } from '@flotilla/contract/bots.ts';
import type { SystemResource } from '@flotilla/contract/system.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

let api: TestApi;
let localUrl: string;
let atLocal: ControlClient;

beforeAll(async () => {
  const local = await startSimulator();
  [localUrl, atLocal] = [local.url, controlClient(local.url)];
  api = await startTestApi({
    TELEGRAM_UPSTREAMS: `local=${localUrl};proxy=direct, behind=http://127.0.0.1:9;proxy=socks5://somebody:hidden-word@127.0.0.1:9`,
  });
  api.endBefore(local.stop);
}, 60_000);
afterAll(async () => {
  await api?.stop();
});

const addBot = async (body: object = {}, made: object = {}): Promise<BotResource> => {
  const { token } = await atLocal.createBot(made);
  const { json, status } = await api.admin('POST', '/api/bots/add', { body: { token, upstream: 'local', ...body } });
  expect([status, json]).toEqual([200, expect.objectContaining({ upstream: 'local' })]);
  return json as BotResource;
};
const update = (body: object) => api.admin('POST', '/api/bots/update', { body });
const upstreamsAt = async (rest = api.admin) => ((await rest('GET', '/api/system')).json as SystemResource).upstreams!;

test('System tells which servers answer, and shows no password of a proxy', async () => {
  await addBot();
  await waitFor(async () => (await upstreamsAt())[1]?.state === 'ok', { message: 'the server being known to answer' });
  expect(await upstreamsAt()).toMatchObject([
    { name: 'default', url: api.platformUrl, bots: 0 },
    { name: 'local', url: localUrl, state: 'ok', error: '', bots: 1 },
    { name: 'behind', url: 'http://127.0.0.1:9', state: 'unknown', bots: 0 },
  ]);
  const { text } = await api.admin('GET', '/api/system');
  expect(text + api.logLines.join('')).not.toContain('hidden-word');
});

test('a bot changes its server or its environment only while nothing can be lost', async () => {
  const bot = await addBot();
  for (const [field, value, advice] of [
    ['upstream', 'default', ': use POST /api/bots/move'],
    ['environment', 'test', ''],
  ] as const) {
    expect(await update({ id: bot.id, [field]: value })).toMatchObject({
      status: 400,
      json: { error: expect.stringMatching(`^${field} .*would be lost${advice}$`) },
    });
  }
  expect((await update({ id: bot.id, upstream: 'nowhere' })).status).toBe(400);
  const ofBot = await api.admin('POST', '/api/auth/api-keys', {
    body: { name: 'one', role: 'admin', bot_ids: [bot.id] },
  });
  const limited = restClient(api.url, (ofBot.json as { key: string }).key);
  const moves = await limited('POST', '/api/bots/update', { body: { id: bot.id, upstream: 'default' } });
  expect(moves.status).toBe(403);
  expect((await limited('POST', '/api/bots/update', { body: { id: bot.id, environment: 'test' } })).status).toBe(403);
  await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: bot.id } });
  await api.platform.createBot({ token: bot.token });
  expect(await update({ id: bot.id, upstream: 'default' })).toMatchObject({
    status: 200,
    json: { upstream: 'default' },
  });
  expect((await update({ id: bot.id, upstream: 'local' })).status).toBe(200);
});

test('calls of bots of the test environment have its segment: our own, and those through the proxy', async () => {
  const { token, id } = await atLocal.createBot({ test: true });
  expect((await fetch(`${localUrl}/bot${token}/getMe`)).status).toBe(401);
  const asked = { token, upstream: 'local', environment: 'test' };
  expect((await api.admin('POST', '/api/bots/validate', { body: asked })).json).toMatchObject({ id });
  const { status, json } = await api.admin('POST', '/api/bots/add', { body: asked });
  expect([status, json]).toEqual([200, expect.objectContaining({ upstream: 'local', environment: 'test' })]);
  const { id: person } = await atLocal.createPerson({});
  await atLocal.startBot({ person, bot: id, quietly: true });
  const { fileId } = await atLocal.sendMessage({
    ...{ person, bot: id, file: { kind: 'document', name: 'a.txt', base64: Buffer.from('text').toString('base64') } },
  });
  for (const form of ['', 'test/']) {
    const called = await fetch(`${api.url}/tgapi/bot${token}/${form}getFile?file_id=${fileId}`);
    const { result } = (await called.json()) as { result: { file_path: string } };
    expect(await (await fetch(`${api.url}/tgapi/file/bot${token}/${form}${result.file_path}`)).text()).toBe('text');
  }
});

test('a process whose settings lack the server of a bot sends nothing for it anywhere, and says so', async () => {
  const { id, token } = await addBot();
  // The platform knows the token, too: whatever came there would be answered.
  const { id: platformId } = await api.platform.createBot({ token });
  const pod = await api.startPod({ TELEGRAM_UPSTREAMS: '' });
  const rest = restClient(pod.url, ADMIN_KEY);
  const proxied = await fetch(`${pod.url}/tgapi/bot${token}/getMe`);
  expect([proxied.status, await proxied.text()]).toEqual([
    502,
    expect.stringContaining('does not know the Bot API server'),
  ]);
  const sent = await rest('POST', '/api/messages/send', { body: { bot_id: id, chat_id: 5, text: 'lost' } });
  expect(sent).toMatchObject({
    status: 502,
    json: { error: expect.stringContaining('TELEGRAM_UPSTREAMS has no server') },
  });
  expect((await api.platform.readCalls({ bot: platformId })).calls).toEqual([]);
  expect((await upstreamsAt(rest)).find(({ name }) => name === 'local')).toMatchObject({
    ...{ url: '', state: 'failing', error: expect.stringContaining('TELEGRAM_UPSTREAMS') },
  });
  expect(api.logLines.join('')).toContain('TELEGRAM_UPSTREAMS has no server of this name');
  expect((await fetch(`${api.url}/tgapi/bot${token}/getMe`)).status).toBe(200);
  await pod.stop();
});
