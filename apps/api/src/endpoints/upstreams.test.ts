import type { BotResource } from '@flotilla/contract/bots.ts';
import type { UpstreamResource } from '@flotilla/contract/upstreams.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, expect, test } from '@jest/globals';

const api = testApi();
let localUrl: string;
let atLocal: ControlClient;

beforeAll(async () => {
  const local = await startSimulator();
  api.endBefore(local.stop);
  localUrl = local.url;
  atLocal = controlClient(local.url);
  await api.admin('POST', '/api/upstreams/add', { body: { name: 'local', url: localUrl, proxy: 'direct' } });
}, 60_000);

const add = (body: object) => api.admin('POST', '/api/upstreams/add', { body });
const addBot = async (body: object = {}): Promise<BotResource> => {
  const { token } = await atLocal.createBot({});
  const { json, status } = await api.admin('POST', '/api/bots/add', { body: { token, upstream: 'local', ...body } });
  expect([status, json]).toEqual([200, expect.objectContaining({ upstream: 'local' })]);
  return json as BotResource;
};
const update = (body: object) => api.admin('POST', '/api/bots/update', { body });

test.each([
  [{ url: 'ftp://files' }, 'url'],
  [{ url: 'http://user:secret@127.0.0.1' }, 'url'],
  [{ url: 'http://10.1.2.3:8081' }, 'UPSTREAM_ALLOWED_CIDRS'],
  [{ url: 'http://169.254.169.254' }, 'never allowed'],
  [{ proxy: 'socks5://10.1.2.3:1080' }, 'proxy'],
  [{ files: 'http://192.168.0.9/files' }, 'files'],
  [{ files: '/' }, 'files'],
  [{ files: '/var/lib/../../etc' }, 'files'],
  [{ uploads: 'media' }, 'uploads'],
  [{ name: 'default' }, 'name'],
])('a server that cannot be is refused: %j', async (fields, said) => {
  const { status, json } = await add({ name: 'wrong', url: 'http://127.0.0.1:8081', ...fields });
  expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining(said)]);
});

test('the password of a proxy is shown to nobody, and one that comes back masked is kept', async () => {
  const proxy = 'socks5://somebody:hidden-word@127.0.0.1:1080';
  const { json } = await add({ name: 'behind', url: 'http://127.0.0.1:8081', proxy });
  const added = json as UpstreamResource;
  expect(added.proxy).toBe('socks5://somebody:****@127.0.0.1:1080');
  const spelt = await add({
    name: 'spelt',
    url: 'http://127.0.0.1:8081',
    proxy: 'http://me@corp:hidden-word@127.0.0.1:1080',
  });
  expect(spelt.json).toMatchObject({ proxy: 'http://me%40corp:****@127.0.0.1:1080' });
  const changed = await api.admin('POST', '/api/upstreams/update', { body: { ...added, uploads: '/srv/media' } });
  expect(changed.json).toMatchObject({ uploads: '/srv/media', proxy: added.proxy });
  const entries = await api.database.db.selectFrom('audit_log').select('details').execute();
  expect(JSON.stringify(entries)).not.toContain('hidden-word');
  const listed = await api.admin('GET', '/api/upstreams');
  expect(JSON.stringify(listed.json)).not.toContain('hidden-word');
});

test('a bot changes its server only while nothing can be lost, and one with bots stays', async () => {
  const bot = await addBot();
  expect(await update({ id: bot.id, upstream: 'default' })).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('would be lost') },
  });
  expect((await update({ id: bot.id, upstream: 'nowhere' })).status).toBe(400);
  const ofBot = await api.admin('POST', '/api/auth/api-keys', {
    body: { name: 'one', role: 'admin', bot_ids: [bot.id] },
  });
  const limited = restClient(api.url, (ofBot.json as { key: string }).key);
  const moves = await limited('POST', '/api/bots/update', { body: { id: bot.id, upstream: 'default' } });
  expect(moves.status).toBe(403);
  await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: bot.id } });
  await api.platform.createBot({ token: bot.token });
  expect(await update({ id: bot.id, upstream: 'default' })).toMatchObject({
    status: 200,
    json: { upstream: 'default' },
  });
  const back = await update({ id: bot.id, upstream: 'local' });
  expect(back.status).toBe(200);
  const [local] = ((await api.admin('GET', '/api/upstreams')).json as UpstreamResource[]).filter(
    ({ name }) => name === 'local',
  );
  expect(local).toMatchObject({ bots: 1 });
  const deleted = await api.admin('POST', '/api/upstreams/delete', { body: { id: local?.id } });
  expect(deleted).toMatchObject({ status: 409, json: { error: expect.stringContaining(String(bot.id)) } });
});

test('calls of bots of the test environment have its segment: our own, and those through the proxy', async () => {
  await add({ name: 'testing', url: localUrl, environment: 'test', proxy: 'direct' });
  const { token, id } = await atLocal.createBot({ test: true });
  expect((await fetch(`${localUrl}/bot${token}/getMe`)).status).toBe(401);
  const { status, json } = await api.admin('POST', '/api/bots/add', { body: { token, upstream: 'testing' } });
  expect([status, json]).toEqual([200, expect.objectContaining({ upstream: 'testing' })]);
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
