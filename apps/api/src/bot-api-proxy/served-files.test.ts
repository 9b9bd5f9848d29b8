import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

let api: TestApi;
let workingDir: string;
let local: ControlClient;

beforeAll(async () => {
  workingDir = await mkdtemp(join(tmpdir(), 'local-server-'));
  const server = await startSimulator({ settings: { workingDir } });
  const web = createServer((req, res) => {
    const file = createReadStream(join(workingDir, decodeURIComponent(req.url ?? '')));
    file.on('error', () => res.writeHead(404).end());
    file.pipe(res);
  });
  await once(web.listen(0, '127.0.0.1'), 'listening');
  const filesUrl = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const at = (name: string, files: string) =>
    `${name}=${server.url};proxy=direct;uploads=${join(workingDir, 'uploads')};files=${files}`;
  api = await startTestApi({ TELEGRAM_UPSTREAMS: `${at('folder', workingDir)}, ${at('url', filesUrl)}` });
  api.endBefore(async () => {
    await server.stop();
    web.close();
    await rm(workingDir, { recursive: true });
  });
  local = controlClient(server.url);
}, 60_000);
afterAll(async () => {
  await api?.stop();
});

type Scene = { id: number; token: string; chat: number; fileId: string };

async function atServer(name: string): Promise<Scene> {
  const { token, id: bot } = await local.createBot({});
  const { json } = await api.admin('POST', '/api/bots/add', { body: { token, upstream: name } });
  const { id: person } = await local.createPerson({});
  await local.startBot({ person, bot, quietly: true });
  const base64 = Buffer.from('0123456789').toString('base64');
  const sent = await local.sendMessage({ person, bot, file: { kind: 'document', name: 'a.txt', base64 } });
  return { id: (json as { id: number }).id, token, chat: person, fileId: sent.fileId as string };
}

async function pathOf(token: string, fileId: string): Promise<string> {
  const answer = await fetch(`${api.url}/tgapi/bot${token}/getFile?file_id=${fileId}`);
  return ((await answer.json()) as { result: { file_path: string } }).result.file_path;
}

test.each(['folder', 'url'])(
  'a file of a server in local mode has a relative path, and is served to bots, programs and REST: from a %s',
  async (name) => {
    const { id, token, fileId } = await atServer(name);
    const path = await pathOf(token, fileId);
    expect(path).toMatch(/^documents\/file_\d+\.txt$/);
    const whole = await fetch(`${api.url}/tgapi/file/bot${token}/${path}`);
    expect([await whole.text(), whole.headers.get('content-type')]).toEqual(['0123456789', 'text/plain']);
    expect(whole.headers.get('content-security-policy')).toContain('sandbox');
    const byRest = await api.admin('GET', `/api/files?bot_id=${id}&file_id=${fileId}`);
    expect(byRest.status).toBe(200);
    const program = await api.admin('POST', '/api/programs/add', { body: { bot_id: id, name: 'one' } });
    const body = { program_id: (program.json as { id: number }).id, name: 'a', methods: ['read', 'files', 'send'] };
    const made = (await api.admin('POST', '/api/programs/tokens/add', { body })).json as { token: string };
    expect((await fetch(`${api.url}/tgapi/file/bot${made.token}/${path}`)).status).toBe(403);
    expect(await pathOf(made.token, fileId)).toBe(path);
    expect(await (await fetch(`${api.url}/tgapi/file/bot${made.token}/${path}`)).text()).toBe('0123456789');
  },
);

test('a large file is served in parts, and nothing outside the directory of its bot', async () => {
  const { token, fileId } = await atServer('folder');
  const path = await pathOf(token, fileId);
  await truncate(join(workingDir, token, path), 2 * 1024 ** 3);
  const url = `${api.url}/tgapi/file/bot${token}`;
  const part = await fetch(`${url}/${path}`, { headers: { range: `bytes=${2 * 1024 ** 3 - 3}-` } });
  expect([part.status, part.headers.get('content-range'), (await part.arrayBuffer()).byteLength]).toEqual([
    206,
    `bytes ${2 * 1024 ** 3 - 3}-${2 * 1024 ** 3 - 1}/${2 * 1024 ** 3}`,
    3,
  ]);
  expect((await fetch(`${url}/${path}`, { headers: { range: 'bytes=3000000000-' } })).status).toBe(416);
  const head = await fetch(`${url}/${path}`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(2 * 1024 ** 3)]);
  await writeFile(join(workingDir, 'tqueue.binlog'), 'of the server');
  for (const outside of [
    '..%2ftqueue.binlog',
    '%2e%2e/tqueue.binlog',
    'documents/..%2f..%2ftqueue.binlog',
    '%2fetc%2fpasswd',
  ]) {
    const answer = await fetch(`${url}/${outside}`);
    expect([outside, answer.status, (await answer.text()).includes('of the server')]).toEqual([outside, 404, false]);
  }
});

test('programs send files of the disk from the directory that an admin named, and from nowhere else', async () => {
  const { id, chat } = await atServer('folder');
  await mkdir(join(workingDir, 'uploads'), { recursive: true });
  await writeFile(join(workingDir, 'uploads', 'b.txt'), 'to send');
  const program = await api.admin('POST', '/api/programs/add', { body: { bot_id: id, name: 'sender' } });
  const of = async (methods: string[]) => {
    const body = { program_id: (program.json as { id: number }).id, name: methods.join(), methods };
    return ((await api.admin('POST', '/api/programs/tokens/add', { body })).json as { token: string }).token;
  };
  const [granted, plain] = [await of(['send', 'local_files']), await of(['send'])];
  const send = async (token: string, document: string) => {
    const query = new URLSearchParams({ chat_id: String(chat), document });
    return (await fetch(`${api.url}/tgapi/bot${token}/sendDocument?${query}`, { method: 'POST' })).status;
  };
  const file = `file://${join(workingDir, 'uploads', 'b.txt')}`;
  expect(await send(granted, file)).toBe(200);
  expect(await send(plain, file)).toBe(403);
  for (const outside of [
    'file:///etc/passwd',
    `file://${workingDir}/uploads/../tqueue.binlog`,
    `file://${workingDir}/uploads/%2e%2e/tqueue.binlog`,
    `file://${workingDir}/uploads-of-others/b.txt`,
    ` FILE:${workingDir}/tqueue.binlog`,
  ]) {
    expect([outside, await send(granted, outside)]).toEqual([outside, 403]);
  }
});
