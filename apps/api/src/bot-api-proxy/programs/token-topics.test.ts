import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramRefusalResource } from '@flotilla/contract/program-refusals.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

/** Methods of the calls that arrived. */
const arrived: string[] = [];
const platform = createServer((req, res) => {
  req.resume().on('end', () => {
    const method = /\/bot[^/]+\/(\w+)/.exec(req.url ?? '')?.[1] ?? '';
    arrived.push(method);
    const id = Number(/\/bot(\d+)/.exec(req.url ?? '')?.[1]);
    if (method === 'sendPhoto') {
      res.end(JSON.stringify({ ok: true, result: sent }));
      return;
    }
    res.end(JSON.stringify({ ok: true, result: { id, is_bot: true, first_name: 'Bot', username: 'a_bot' } }));
  });
});

/** The answer of sendPhoto. Nothing here stores it. */
const SENT = 400;
const FORUM = -1_001_000_000_777;
const [HULL, KEEL] = [120, 121];
/** Messages of the topics, of General, and outside topics. */
const [IN_HULL, IN_KEEL, IN_GENERAL, OUTSIDE, LAST] = [201, 202, 203, 204, 205];
const DATE_S = 1_780_000_000;

const sent = {
  message_id: SENT,
  date: DATE_S,
  chat: { id: FORUM, type: 'supergroup', is_forum: true },
  message_thread_id: HULL,
  is_topic_message: true,
};

let api: TestApi;
let bot: BotResource;
let programId: number;
let programs = 0;
let hull: string;
let outside: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  api = await startTestApi({ TELEGRAM_API_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}` });
  bot = await api.addBot();
  await stored(IN_HULL, HULL);
  await stored(IN_KEEL, KEEL);
  await stored(IN_GENERAL, 1);
  await stored(OUTSIDE, null);
  await stored(LAST, KEEL);
  [hull, outside] = [await newToken([HULL]), await newToken([0])];
}, 60_000);
afterAll(async () => {
  await api?.stop();
  platform.closeAllConnections();
  await new Promise((resolve) => platform.close(resolve));
});
beforeEach(() => {
  arrived.length = 0;
});

const stored = (id: number, threadId: number | null) =>
  storeMessages(api.database.db, bot.id, [
    {
      chat_id: FORUM,
      id,
      date: DATE_S + id,
      text: `${id}`,
      details: threadId === null ? null : { thread_id: threadId },
    },
  ]);

async function newToken(threads: number[]): Promise<string> {
  programs += 1;
  const program = { bot_id: bot.id, name: `program ${programs}` };
  programId = ((await api.admin('POST', '/api/programs/add', { body: program })).json as { id: number }).id;
  const body = { program_id: programId, name: 'a', chats: [FORUM], threads };
  const made = await api.admin('POST', '/api/programs/tokens/add', { body });
  expect(made.json).toMatchObject({ chats: [FORUM], threads });
  return (made.json as { token: string }).token;
}

async function call(token: string, method: string, fields: object): Promise<{ status: number; description?: string }> {
  const response = await fetch(`${api.url}/tgapi/bot${token}/${method}`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ chat_id: FORUM, ...fields }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

async function expectPassed(token: string, method: string, fields: object): Promise<void> {
  expect(await call(token, method, fields)).toMatchObject({ status: 200 });
  expect(arrived).toEqual([method]);
  arrived.length = 0;
}
async function expectRefused(token: string, method: string, fields: object, why: RegExp): Promise<void> {
  expect(await call(token, method, fields)).toEqual({
    ...{ status: 403, ok: false, error_code: 403 },
    description: expect.stringMatching(new RegExp(`^Forbidden: this token may not call ${method}: .*${why.source}`)),
  });
  expect(arrived).toEqual([]);
}

const inHull = { message_thread_id: HULL };
const ANOTHER = /a message that it names is in another topic/;

describe('a token that is limited to a topic', () => {
  test('sends into this topic alone', async () => {
    await expectPassed(hull, 'sendMessage', { ...inHull, text: 'a' });
    await expectRefused(hull, 'sendMessage', { message_thread_id: KEEL, text: 'a' }, /not one of its topics/);
    await expectRefused(hull, 'sendMessage', { text: 'a' }, /must name one of its topics/);
    await expectRefused(hull, 'sendMessage', { chat_id: FORUM - 1, ...inHull, text: 'a' }, /not one of its chats/);
  });

  test('answers, forwards and copies messages of this topic alone', async () => {
    const reply = (message_id: number) => ({ ...inHull, text: 'a', reply_parameters: { message_id } });
    await expectPassed(hull, 'sendMessage', reply(IN_HULL));
    for (const id of [IN_KEEL, IN_GENERAL, OUTSIDE]) await expectRefused(hull, 'sendMessage', reply(id), ANOTHER);
    await expectRefused(hull, 'sendMessage', { text: 'a', reply_parameters: { message_id: IN_HULL } }, /must name/);
    const from = { ...inHull, from_chat_id: FORUM };
    await expectPassed(hull, 'copyMessage', { ...from, message_id: IN_HULL });
    await expectRefused(hull, 'forwardMessage', { ...from, message_id: IN_KEEL }, ANOTHER);
    await expectRefused(hull, 'forwardMessages', { ...from, message_ids: [IN_HULL, IN_KEEL] }, ANOTHER);
  });

  test('changes, pins and deletes messages of this topic alone', async () => {
    for (const [method, more] of [
      ['editMessageText', { text: 'b' }],
      ['deleteMessage', {}],
      ['pinChatMessage', {}],
      ['setMessageReaction', {}],
    ] as const) {
      await expectPassed(hull, method, { message_id: IN_HULL, ...more });
      await expectRefused(hull, method, { message_id: IN_KEEL, ...more }, ANOTHER);
    }
    await expectRefused(hull, 'unpinChatMessage', {}, /message_id is missing/);
    await expectRefused(hull, 'deleteMessages', { message_ids: [IN_HULL, OUTSIDE] }, ANOTHER);
  });

  test('acts neither in the whole chat nor on other topics, and asks who is there', async () => {
    const telling = /does not tell a topic/;
    for (const method of ['getChat', 'setChatTitle', 'banChatMember', 'unpinAllChatMessages', 'createForumTopic']) {
      await expectRefused(hull, method, { user_id: 5 }, telling);
    }
    await expectPassed(hull, 'closeForumTopic', inHull);
    await expectRefused(hull, 'closeForumTopic', { message_thread_id: KEEL }, /not one of its topics/);
    await expectRefused(hull, 'hideGeneralForumTopic', {}, /General is not one of its topics/);
    await expectPassed(hull, 'getChatMember', { user_id: 5 });
    await expectPassed(hull, 'getMe', {});
  });

  test('changes what it just sent, before the history has it', async () => {
    await expectPassed(hull, 'sendPhoto', { ...inHull, photo: 'a' });
    await expectPassed(hull, 'editMessageCaption', { message_id: SENT, caption: 'b' });
    await expectPassed(hull, 'deleteMessage', { message_id: SENT });
  });

  test('waits for a message that is on its way to the history, such as its own one before', async () => {
    const edited = call(hull, 'editMessageText', { message_id: 300, text: 'b' });
    await stored(300, HULL);
    expect(await edited).toMatchObject({ status: 200 });
  });

  test('is refused for a message that the history does not have, at once if it is older than what is stored', async () => {
    const unknown = /not known, because the history does not have/;
    await expectRefused(hull, 'editMessageText', { message_id: 5, text: 'b' }, unknown);
    await expectRefused(hull, 'editMessageText', { message_id: 999_999, text: 'b' }, unknown);
  }, 20_000);

  test('names its topic and its messages before the first file of a form', async () => {
    const form = (...parts: [string, string][]) => {
      const of = ([name, value]: [string, string]) =>
        name === 'document'
          ? `--b\r\nContent-Disposition: form-data; name="document"; filename="a"\r\n\r\n${value}\r\n`
          : `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      const headers = { 'content-type': 'multipart/form-data; boundary=b' };
      const body = `${[['chat_id', `${FORUM}`] as [string, string], ...parts].map(of).join('')}--b--\r\n`;
      return fetch(`${api.url}/tgapi/bot${hull}/sendDocument`, { method: 'POST', headers, body });
    };
    const file: [string, string] = ['document', 'x'.repeat(100_000)];
    const reply = (id: number): [string, string] => ['reply_parameters', `{"message_id":${id}}`];
    const topic: [string, string] = ['message_thread_id', `${HULL}`];
    expect((await form(topic, reply(IN_HULL), file)).status).toBe(200);
    expect(arrived).toEqual(['sendDocument']);
    expect((await form(topic, reply(IN_KEEL), file)).status).toBe(403);
    expect((await form(file, topic)).status).toBe(403);
    const late = await form(topic, file, reply(IN_HULL));
    expect([late.status, await late.text()]).toEqual([403, expect.stringMatching(/must come before the first file/)]);
    expect((await form(topic, file, ['message_thread_id', `${KEEL}`])).status).toBe(200);
  });

  test('leaves its refusals where people look for them', async () => {
    const token = await newToken([HULL]);
    await expectRefused(token, 'sendMessage', { message_thread_id: KEEL }, /not one of its topics/);
    await waitFor(async () => {
      const { json } = await api.admin('GET', '/api/programs/refusals', { query: { id: programId } });
      const [refusal] = json as ProgramRefusalResource[];
      return refusal?.reason === 'chat' && /not one of its topics/.test(refusal.description);
    });
  });
});

describe('a token that is limited to what is outside topics', () => {
  test('names no topic, and answers messages outside topics and of General', async () => {
    await expectPassed(outside, 'sendMessage', { text: 'a' });
    for (const message_id of [OUTSIDE, IN_GENERAL]) {
      await expectPassed(outside, 'sendMessage', { text: 'a', reply_parameters: { message_id } });
    }
    // Without a topic, an answer goes where its message is.
    await expectRefused(outside, 'sendMessage', { text: 'a', reply_to_message_id: IN_HULL }, ANOTHER);
    await expectRefused(outside, 'sendMessage', { ...inHull, text: 'a' }, /not one of its topics/);
    await expectPassed(outside, 'deleteMessage', { message_id: OUTSIDE });
    await expectRefused(outside, 'deleteMessage', { message_id: IN_HULL }, ANOTHER);
  });
});
