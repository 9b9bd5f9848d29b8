import { createHash, randomBytes } from 'node:crypto';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import { type RawConnection, rawConnection, startRawServer } from '@flotilla/testing/raw-http.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const MB = 1024 * 1024;
const api = testApi();
let bot: BotResource;
let person: number;
let owner: TestAccount;
let stranger: TestAccount;

beforeAll(async () => {
  bot = await api.addBot();
  person = (await api.platform.createPerson({})).id;
  await api.platform.startBot({ person, bot: platformId() });
  owner = await insertAccount(api.database.db, { username: 'owner', bots: [bot.id] });
  stranger = await insertAccount(api.database.db, { username: 'stranger' });
});

const platformId = () => Number(bot.token.split(':')[0]);
type Fields = Record<string, string | number | Blob>;
type Answer = MessageResource & { error: string; code: string; error_code?: number };

async function send(fields: Fields, { url = api.url, key = owner.key } = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ bot_id: bot.id, chat_id: person, ...fields })) {
    form.append(name, typeof value === 'object' ? value : String(value));
  }
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/api/messages/send`, { method: 'POST', body: form, headers });
  return { status: answer.status, headers: answer.headers, json: (await answer.json()) as Answer };
}

const fileOf = (bytes: Buffer | string, name = 'a.bin', type = '') =>
  new File([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)], name, { type });
const lastShown = async () => (await api.platform.readChat({ person, bot: platformId() })).messages.at(-1);
const callsOf = async (method: string) =>
  (await api.platform.readCalls({ bot: platformId() })).calls.filter((call) => call.method.toLowerCase() === method)
    .length;

/** The bytes of a form up to the file's content, with any fields. */
function beginningOf(fields: Fields, { name = 'file', type = 'text/plain' } = {}): string {
  const parts = Object.entries({ bot_id: bot.id, chat_id: person, ...fields }).map(
    ([field, value]) => `--b\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const file = `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.txt"\r\nContent-Type: ${type}\r\n\r\n`;
  return parts.join('') + file;
}

/** Opens a request of unknown length and sends its beginning. */
async function begin(body: string, { port = api.port, headers = `Authorization: Bearer ${owner.key}` } = {}) {
  const connection = await rawConnection(port);
  const lines = ['POST /api/messages/send HTTP/1.1', 'Host: h', headers, 'Transfer-Encoding: chunked'];
  connection.send(`${lines.join('\r\n')}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n`);
  chunk(connection, body);
  return connection;
}

function chunk(connection: RawConnection, bytes: string): void {
  connection.send(`${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n`);
}

describe('a file', () => {
  test.each([
    ['image/jpeg', 'photo'],
    ['image/gif', 'animation'],
    ['video/mp4', 'video'],
    ['audio/mpeg', 'audio'],
    ['audio/ogg; codecs=opus', 'voice'],
    ['application/pdf', 'document'],
    ['image/svg+xml', 'document'],
    ['', 'document'],
  ])('of the type %j is sent as %s, and is stored when the answer comes', async (type, media) => {
    const sent = await send({ caption: 'a *caption*', parse_mode: 'MarkdownV2', file: fileOf('bytes', 'a', type) });
    expect(sent).toMatchObject({
      status: 200,
      json: { media_type: media, file_id: expect.any(String), text: 'a caption', chat_id: person, outgoing: true },
    });
    expect(await lastShown()).toMatchObject({ message_id: sent.json.id, caption: 'a caption', [media]: {} });
    const listed = await api.admin('GET', '/api/messages', { query: { bot_id: bot.id, chat_id: person, limit: 1 } });
    expect(listed.json).toEqual([sent.json]);
    const log = await api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id, action: 'send', limit: 1 } });
    expect(log.json).toMatchObject([{ target_id: sent.json.id, actor_username: 'owner', chat_id: person }]);
  });

  test.each(['photo', 'video', 'animation', 'sticker', 'voice', 'audio', 'document', 'video_note'])(
    'is sent as %s if the call says so',
    async (media_type) => {
      const sent = await send({ media_type, file: fileOf('bytes', 'a.webp', 'text/plain') });
      expect(sent).toMatchObject({ status: 200, json: { media_type } });
    },
  );

  test('comes to the platform byte by byte', async () => {
    const bytes = randomBytes(10 * MB);
    const sent = await send({ file: fileOf(bytes) });
    const found = await fetch(`${api.url}/api/files?bot_id=${bot.id}&file_id=${sent.json.file_id}`, {
      headers: { authorization: `Bearer ${owner.key}` },
    });
    const hash = (content: Buffer) => createHash('sha256').update(content).digest('hex');
    expect(hash(Buffer.from(await found.arrayBuffer()))).toBe(hash(bytes));
  });

  test('may have 45 MB and an odd name, be a reply and have buttons', async () => {
    const reply_markup = JSON.stringify({ inline_keyboard: [[{ text: 'Seen', callback_data: 'seen' }]] });
    const first = (await send({ text: 'first' })).json;
    const file = fileOf(Buffer.alloc(45 * MB, 'x'), 'a "r\u00e9port"\\..\\x.pdf', 'application/pdf');
    const sent = await send({ reply_to_message_id: first.id, reply_markup, file });
    expect(sent.json).toMatchObject({ media_type: 'document', reply_to_message_id: first.id });
    expect(await lastShown()).toMatchObject({
      document: { file_name: expect.stringMatching(/^a ("|%22)r\u00e9port("|%22)\.\.x\.pdf$/), file_size: 45 * MB },
      reply_markup: JSON.parse(reply_markup),
    });
  });

  test('that the platform has, or can fetch, is named instead of sent', async () => {
    const sent = await send({ file: fileOf('a picture', 'a.jpg', 'image/jpeg') });
    const call = { bot_id: bot.id, chat_id: person, media_type: 'photo', caption: 'again' };
    const again = await api.admin('POST', '/api/messages/send', { body: { ...call, file_id: sent.json.file_id } });
    expect(again).toMatchObject({ status: 200, json: { media_type: 'photo', text: 'again' } });
    const fetched = await send({ media_type: 'document', url: `${api.platformUrl}/control/` });
    expect(fetched).toMatchObject({ status: 200, json: { media_type: 'document' } });
  });
});

describe('a call with a file that cannot be right', () => {
  test.each([
    [{ media_type: 'photo' }, 'media_type needs a file, a file_id or a url'],
    [{ file_id: 'x' }, 'media_type is required with file_id and url'],
    [{ file_id: 'x', url: 'https://a.example/', media_type: 'photo' }, 'file must be the only one'],
    [{ url: 'file:///etc/passwd', media_type: 'document' }, 'url must be an address'],
    [{ file_id: 'attach://x', media_type: 'document' }, 'file_id must be the file_id'],
    [{ file_id: 'file:///etc/passwd', media_type: 'document' }, 'file_id must be the file_id'],
    [{ text: 'one', caption: 'another' }, 'caption contradicts text'],
    [{ tyop: 1, file: fileOf('x') }, 'tyop is not a field of this call'],
    [{ picture: fileOf('x') }, 'picture is not a file of this call'],
    [{ file: fileOf('x'), caption: 'late' }, 'caption must come before the file'],
    [{}, 'text is required'],
  ])('is refused, and nothing is sent: %j', async (fields, reason) => {
    const before = await lastShown();
    const refused = await send(fields as Fields);
    expect(refused).toMatchObject({ status: 400, json: { code: 'bad_request' } });
    expect(refused.json.error).toContain(reason);
    expect(await lastShown()).toEqual(before);
  });

  test('because its fields come after the file is told so, before the file has come', async () => {
    const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nbytes';
    const connection = await begin(file);
    const answer = await connection.waitFor(/"request_id"/);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('bot_id is required before the file; chat_id is required before the file');
    connection.end();
  });

  test('larger than 50 MB is 413, announced or not, and the platform never gets all of it', async () => {
    const before = await callsOf('senddocument');
    expect((await send({ file: fileOf(Buffer.alloc(52 * MB)) })).status).toBe(413);
    const connection = await begin(beginningOf({}));
    const block = 'x'.repeat(MB);
    for (let sent = 0; sent < 51; sent += 1) chunk(connection, block);
    expect(await connection.waitFor(/"request_id"/)).toContain('The file is larger than 50 MB');
    connection.end();
    expect(await callsOf('senddocument')).toBe(before);
  });
});

describe('who may not send', () => {
  test('is told so before the file has come', async () => {
    for (const [headers, status] of [
      [`Authorization: Bearer ${stranger.key}`, 403],
      ['Authorization: Bearer flt_wrong', 401],
    ] as const) {
      const connection = await begin(`${beginningOf({})}the beginning`, { headers });
      expect(await connection.waitFor(/"request_id"/)).toContain(`HTTP/1.1 ${status} `);
      connection.end();
    }
  });

  test('a page of another site, by the session of a person', async () => {
    const login = await api.admin('POST', '/api/auth/login', {
      body: { username: 'admin', password: ADMIN_PASSWORD },
    });
    const cookie = login.headers.get('set-cookie')?.split(';')[0];
    const headers = `Cookie: ${cookie}\r\nSec-Fetch-Site: cross-site`;
    const connection = await begin(`${beginningOf({})}the beginning`, { headers });
    expect(await connection.waitFor(/"request_id"/)).toContain('HTTP/1.1 403 ');
    connection.end();
  });

  test('an account that sends eight files already', async () => {
    const open = await Promise.all(Array.from({ length: 9 }, () => begin(`${beginningOf({})}the beginning`)));
    const ninth = await waitFor(() => open.map((one) => one.received()).find((text) => text.includes('"request_id"')));
    expect(ninth).toMatch(/^HTTP\/1.1 429 [\s\S]*retry-after: 2/i);
    expect(await send({ file: fileOf('x') })).toMatchObject({ status: 429, json: { code: 'too_many_requests' } });
    expect((await send({ file: fileOf('x') }, { key: ADMIN_KEY })).status).toBe(200);
    for (const connection of open) connection.end();
    await waitFor(async () => (await send({ file: fileOf('x') })).status === 200, { message: 'room for a file' });
  });
});

describe('a file on its way', () => {
  test('whose client goes away, or whose form has no end, is never sent; the call to the platform breaks off', async () => {
    const platform = await startRawServer(() => undefined);
    const pod = await api.startPod({ TELEGRAM_API_URL: platform.url });
    const arrived = (text: string) => waitFor(() => platform.connections.find((one) => one.received().includes(text)));
    try {
      const gone = await begin(`${beginningOf({})}a first half`, { port: pod.port });
      chunk(gone, 'x'.repeat(200_000));
      const call = (await arrived('a first half'))!;
      gone.end();
      await call.waitForClose();
      expect(call.received()).not.toMatch(/--\r\n0\r\n\r\n$/);
      const cut = await begin(`${beginningOf({})}another half`, { port: pod.port });
      chunk(cut, 'x'.repeat(200_000));
      const second = (await arrived('another half'))!;
      cut.send('0\r\n\r\n');
      expect(await cut.waitFor(/"request_id"/)).toContain('The form ends before its last boundary');
      await second.waitForClose();
      expect(second.received()).not.toMatch(/--\r\n0\r\n\r\n$/);
    } finally {
      await pod.stop();
      await platform.stop();
    }
  });

  test('ends with the key that sends it', async () => {
    const { key, id } = (
      await api.admin('POST', '/api/auth/api-keys', { body: { name: 'short', role: 'user', bot_ids: [bot.id] } })
    ).json as { key: string; id: number };
    const before = await callsOf('senddocument');
    const connection = await begin(`${beginningOf({})}half`, { headers: `Authorization: Bearer ${key}` });
    await api.admin('POST', '/api/auth/api-keys/delete', { body: { id } });
    const answer = await waitFor(() => /"request_id"/.test(connection.received()) && connection.received(), {
      timeoutMs: 15_000,
    });
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    connection.end();
    expect(await callsOf('senddocument')).toBe(before);
  });

  test('is refused in the words of the platform, and is 502 when the platform breaks off or is down', async () => {
    expect(await send({ chat_id: 999, file: fileOf('x') })).toMatchObject({
      status: 400,
      json: { code: 'platform_refused', error_code: 400, error: expect.stringContaining('chat not found') },
    });
    await api.platform.setFault({ method: 'sendDocument', effect: { kind: 'reset' }, count: 1 });
    const before = await callsOf('senddocument');
    expect(await send({ file: fileOf(Buffer.alloc(2 * MB)) })).toMatchObject({ status: 502 });
    expect(await callsOf('senddocument')).toBeLessThanOrEqual(before + 1);
    const pod = await api.startPod({ TELEGRAM_API_URL: 'http://127.0.0.1:9' });
    expect(await send({ file: fileOf(Buffer.alloc(2 * MB)) }, { url: pod.url })).toMatchObject({
      status: 502,
      json: { code: 'platform_failed' },
    });
    await pod.stop();
  });
});
