import { createHash, randomBytes } from 'node:crypto';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

type Sent = { result: Record<'document' | 'video', { file_id: string }> & { photo: { file_id: string }[] } };

const api = testApi();
let bot: BotResource;
let person: number;
let owner: TestAccount;

beforeAll(async () => {
  bot = await api.addBot();
  person = (await api.platform.createPerson({})).id;
  await api.platform.sendMessage({ person, bot: Number(bot.token.split(':')[0]), text: '/start' });
  owner = await insertAccount(api.database.db, { username: 'owner', bots: [bot.id] });
});

/** Makes the bot send a file through the proxy; returns its id. */
async function sent(
  method: string,
  field: 'photo' | 'document' | 'video',
  name: string,
  bytes: Buffer,
): Promise<string> {
  const form = new FormData();
  form.set('chat_id', String(person));
  form.set(field, new Blob([new Uint8Array(bytes)]), name);
  const answer = await fetch(`${api.url}/tgapi/bot${bot.token}/${method}`, { method: 'POST', body: form });
  const { result } = (await answer.json()) as Sent;
  return field === 'photo' ? (result.photo.at(-1)?.file_id ?? '') : result[field].file_id;
}

const download = (fileId: string, { key = owner.key, headers = {}, method = 'GET' } = {}) =>
  fetch(`${api.url}/api/files?bot_id=${bot.id}&file_id=${encodeURIComponent(fileId)}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });

describe('a file of a chat', () => {
  test('comes byte by byte, as a picture that is shown, to whoever has the bot and to nobody else', async () => {
    const bytes = randomBytes(300_000);
    const fileId = await sent('sendPhoto', 'photo', 'a.jpg', bytes);
    const answer = await download(fileId);
    expect(answer.status).toBe(200);
    expect(
      createHash('sha256')
        .update(Buffer.from(await answer.arrayBuffer()))
        .digest('hex'),
    ).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-disposition': 'inline',
      'content-length': '300000',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    const stranger = await insertAccount(api.database.db, { username: 'stranger' });
    expect((await download(fileId, { key: stranger.key })).status).toBe(403);
    expect((await restClient(api.url)('GET', `/api/files?bot_id=${bot.id}&file_id=${fileId}`)).status).toBe(401);
  });

  test('is given in parts, as players ask for it', async () => {
    const bytes = randomBytes(5000);
    const fileId = await sent('sendVideo', 'video', 'a.mp4', bytes);
    const whole = await download(fileId, { method: 'HEAD' });
    expect([whole.headers.get('content-type'), whole.headers.get('content-disposition')]).toEqual([
      'video/mp4',
      expect.stringMatching(/^attachment; filename="[^"]+\.mp4"$/),
    ]);
    const part = await download(fileId, { headers: { range: 'bytes=1000-1999' } });
    expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
      206,
      'bytes 1000-1999/5000',
      '1000',
    ]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true);
    expect((await download(fileId, { headers: { range: 'bytes=9000-' } })).status).toBe(416);
    // HTTP allows the whole file as the response to a request for several ranges.
    expect((await download(fileId, { headers: { range: 'bytes=0-1,3-4' } })).status).toBe(200);
  });

  test('is kept by a browser, which asks each time if the account may still see it', async () => {
    const fileId = await sent('sendVideo', 'video', 'kept.mp4', randomBytes(5000));
    const first = await download(fileId);
    await first.arrayBuffer();
    const tag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const known = { 'if-none-match': tag };
    const again = await download(fileId, { headers: known });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, tag, '']);
    const part = await download(fileId, { headers: { range: 'bytes=0-9', 'if-range': tag } });
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 10]);
    const stranger = await insertAccount(api.database.db, { username: 'had-the-bot' });
    expect((await download(fileId, { key: stranger.key, headers: known })).status).toBe(403);
  });

  test.each([
    ['page.html', '<script>fetch("/api/bots")</script>'],
    ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'],
    ['paper.pdf', '%PDF-1.7'],
    ['odd"name\u00e9.xhtml', '<html/>'],
  ])('that could be run is saved and never shown: %s', async (name, text) => {
    const answer = await download(await sent('sendDocument', 'document', name, Buffer.from(text)));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[A-Za-z0-9._-]+"$/);
    expect(answer.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(await answer.text()).toBe(text);
  });

  test('can be asked about without being sent', async () => {
    const answer = await download(await sent('sendPhoto', 'photo', 'b.jpg', Buffer.from('b')), { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '1', '']);
  });

  test('that the platform does not know is refused in its words', async () => {
    const answer = await restClient(api.url, owner.key)('GET', `/api/files?bot_id=${bot.id}&file_id=nonsense`);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: 'platform_refused', error: expect.stringContaining('file') });
  });
});

describe('the photo of a chat', () => {
  const PIXELS = Buffer.from('a small picture');
  let group: number;

  const photoOf = (chat: number, { key = owner.key, headers = {} } = {}) =>
    fetch(`${api.url}/api/chats/photo?bot_id=${bot.id}&chat_id=${chat}`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
  const callsOf = async (method: string) =>
    (await api.platform.readCalls({ bot: Number(bot.token.split(':')[0]), method })).calls.length;

  beforeAll(async () => {
    const admins = [{ bot: Number(bot.token.split(':')[0]) }];
    group = (await api.platform.createChat({ type: 'supergroup', title: 'Library', admins })).id;
    const form = new FormData();
    form.set('chat_id', String(group));
    form.set('photo', new Blob([new Uint8Array(PIXELS)]), 'a.jpg');
    await fetch(`${api.url}/tgapi/bot${bot.token}/setChatPhoto`, { method: 'POST', body: form });
    const types = { [group]: 'supergroup', [person]: 'private' };
    const chats = Object.entries(types).map(([id, type]) => ({ bot_id: bot.id, id: Number(id), type }));
    await api.database.db
      .insertInto('chats')
      .values(chats)
      .onConflict((known) => known.doNothing())
      .execute();
  });

  test('is shown to whoever has the bot, and the platform is asked once for all who want it', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => photoOf(group)));
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(PIXELS);
    }
    expect(answers[0]?.headers.get('cache-control')).toBe('private, no-cache');
    const headers = { 'if-none-match': answers[0]?.headers.get('etag') ?? '' };
    expect((await photoOf(group, { headers })).status).toBe(304);
    expect(answers[0]?.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect([await callsOf('getChat'), await callsOf('getFile')]).toEqual([1, expect.any(Number)]);
    const stranger = await insertAccount(api.database.db, { username: 'no-bots', bots: [] });
    expect((await photoOf(group, stranger)).status).toBe(403);
  });

  test('that there is none is answered 204 and kept, too', async () => {
    const before = await callsOf('getChat');
    for (let time = 0; time < 3; time += 1) {
      const answer = await photoOf(person);
      expect([answer.status, await answer.text()]).toEqual([204, '']);
    }
    expect(await callsOf('getChat')).toBe(before + 1);
  });

  test('of a chat that the bot has not seen is not found, and nobody asks the platform for it', async () => {
    const before = await callsOf('getChat');
    expect((await photoOf(-1_009_999_999_999)).status).toBe(404);
    expect(await callsOf('getChat')).toBe(before);
  });

  test('of a platform that asks to wait is none for a minute, and asked for again after it', async () => {
    const chat = { bot_id: bot.id, id: -1_009_000_000_001, type: 'supergroup' };
    await api.database.db.insertInto('chats').values(chat).execute();
    const effect = { kind: 'status' as const, status: 429, retryAfterS: 30 };
    await api.platform.setFault({ method: 'getChat', effect });
    expect((await photoOf(chat.id)).status).toBe(204);
    const before = await callsOf('getChat');
    expect((await photoOf(chat.id)).status).toBe(204);
    expect(await callsOf('getChat')).toBe(before);
    await api.platform.clearFaults({});
  });
});

describe('the photo of an author in a group', () => {
  const FACE = Buffer.from('a face');
  const FLAG = Buffer.from('a flag');
  let group: number;
  let news: number;

  const platformId = () => Number(bot.token.split(':')[0]);
  const photoOf = (userId: number, { key = owner.key, chat = group } = {}) =>
    fetch(`${api.url}/api/users/photo?bot_id=${bot.id}&chat_id=${chat}&user_id=${userId}`, {
      headers: { authorization: `Bearer ${key}` },
    });
  const callsOf = async () => (await api.platform.readCalls({ bot: platformId() })).calls.length;
  const newPerson = async (photo?: Buffer) => {
    const { id } = await api.platform.createPerson({});
    const base64 = photo?.toString('base64');
    if (base64) await api.platform.setPhoto({ person: id, bot: platformId(), base64, name: 'a.jpg' });
    return id;
  };
  const wrote = async (...authors: number[]) => {
    const now = Math.floor(Date.now() / 1000);
    const rows = authors.map((userId) => {
      const names = { username: null, first_name: 'Ada', text: 'Hello' };
      return { chat_id: group, id: Math.abs(userId) % 1_000_000, date: now, user_id: userId, ...names };
    });
    await storeMessages(api.database.db, bot.id, rows);
  };

  beforeAll(async () => {
    const admins = [{ bot: platformId() }];
    group = (await api.platform.createChat({ type: 'supergroup', title: 'Harbour', admins })).id;
    news = (await api.platform.createChat({ type: 'channel', title: 'News', admins })).id;
    const { id: keeper } = await api.platform.createPerson({});
    await api.platform.setPhoto({ person: keeper, chat: news, base64: FLAG.toString('base64'), name: 'a.jpg' });
  });

  test('is that of their profile, whose smallest size the platform is asked for once', async () => {
    const ada = await newPerson(FACE);
    await wrote(ada);
    const before = await callsOf();
    for (const answer of await Promise.all([photoOf(ada), photoOf(ada), photoOf(ada)])) {
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(FACE);
    }
    expect(await callsOf()).toBe(before + 2);
    const { calls } = await api.platform.readCalls({ bot: platformId(), method: 'getUserProfilePhotos' });
    expect(calls.at(-1)).toMatchObject({ params: { user_id: String(ada), limit: '1' } });
    const stranger = await insertAccount(api.database.db, { username: 'of-no-bots', bots: [] });
    expect((await photoOf(ada, stranger)).status).toBe(403);
  });

  test('is that of the channel that writes there, and that of the private chat with somebody who has one', async () => {
    const max = await newPerson(FACE);
    const chat = { bot_id: bot.id, id: max, type: 'private' };
    await api.database.db.insertInto('chats').values(chat).execute();
    await wrote(news, max);
    expect(Buffer.from(await (await photoOf(news)).arrayBuffer())).toEqual(FLAG);
    expect(Buffer.from(await (await photoOf(max)).arrayBuffer())).toEqual(FACE);
    const before = await callsOf();
    const ofChat = await fetch(`${api.url}/api/chats/photo?bot_id=${bot.id}&chat_id=${max}`, {
      headers: { authorization: `Bearer ${owner.key}` },
    });
    expect([ofChat.status, await callsOf()]).toEqual([200, before]);
  });

  test('of somebody without one is empty, and of somebody who has not written there nobody asks the platform', async () => {
    const [plain, silent] = [await newPerson(), await newPerson(FACE)];
    await wrote(plain);
    expect((await photoOf(plain)).status).toBe(204);
    const before = await callsOf();
    expect((await photoOf(plain)).status).toBe(204);
    expect((await photoOf(silent)).status).toBe(404);
    expect((await photoOf(plain, { chat: person })).status).toBe(404);
    expect(await callsOf()).toBe(before);
  });
});
