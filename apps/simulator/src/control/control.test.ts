import { rawExchange } from '@flotilla/testing/raw-http.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestPlatform, type TestPlatform } from '../conformance/test-platform.ts';
import { startSimulator } from '../start.ts';

type Field = { type?: string; description?: string; required: boolean };
type Shown = { does: string; fields: Record<string, Field>; example: Record<string, unknown> };

const JSON_BODY = { 'Content-Type': 'application/json' };

let platform: TestPlatform;
let operations: Record<string, Shown>;

beforeAll(async () => {
  platform = await startTestPlatform();
  operations = ((await (await fetch(`${platform.url}/control/`)).json()) as { operations: typeof operations })
    .operations;
});
afterAll(() => platform.stop());

async function post(name: string, body: unknown): Promise<{ status: number; error: string }> {
  const response = await fetch(`${platform.url}/control/${name}`, {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify(body),
  });
  return { status: response.status, error: ((await response.json()) as { error?: string } | null)?.error ?? '' };
}

test('GET /control/ describes every operation: what it does, its fields and an example that it takes', async () => {
  expect(Object.keys(operations).length).toBeGreaterThan(30);
  for (const [name, { does, fields, example }] of Object.entries(operations)) {
    expect([name, does]).toEqual([name, expect.stringMatching(/^[A-Z].{10,}/)]);
    for (const [field, { description, required }] of Object.entries(fields)) {
      expect([name, field, description]).toEqual([name, field, expect.stringMatching(/./)]);
      expect(typeof required).toBe('boolean');
    }
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(Object.keys(example)));
    const { status, error } = await post(name, example);
    // An example may name a bot or chat that does not exist here; the test checks only the form of the example.
    if (status !== 200)
      expect([name, error]).toEqual([name, expect.stringMatching(/there is no|no such|is not|already|only/)]);
    expect(error).not.toContain('see GET /control/');
  }
});

test('people, bots and chats have the same names in every operation', () => {
  const names = new Set(Object.values(operations).flatMap(({ fields }) => Object.keys(fields)));
  expect(names).toContain('person');
  expect(names).toContain('bot');
  expect(names).toContain('chat');
  for (const other of ['from', 'to', 'user', 'userId', 'botId', 'chatId', 'personId', 'actor']) {
    expect(names).not.toContain(other);
  }
});

test('every field that is missing is named, of every operation', async () => {
  for (const [name, { fields }] of Object.entries(operations)) {
    const needed = Object.keys(fields).filter((field) => fields[field]!.required);
    if (needed.length === 0) continue;
    const { status, error } = await post(name, {});
    expect([name, status]).toEqual([name, 400]);
    for (const field of needed) expect([name, error]).toEqual([name, expect.stringContaining(`${field} is missing`)]);
  }
});

test('fields that are not there, ill-typed values and bodies that are no object are refused by name', async () => {
  expect((await post('sendMessage', {})).error).toContain('bot or chat is missing');
  expect((await post('sendMessage', { person: 1, bot: 2, chat: 3, text: 'x' })).error).toContain('either bot or chat');
  expect((await post('sendMessage', { person: 1, bot: 2 })).error).toContain('text, file or content is missing');
  expect((await post('sendMessage', { from: 1, to: 2, text: 'x' })).error).toContain('there is no field from');
  expect((await post('createBot', { nmae: 'Echo' })).error).toContain('there is no field nmae');
  expect((await post('createPerson', { firstName: 7 })).error).toContain('firstName');
  expect((await post('setFault', { effect: { kind: 'status' } })).error).toContain('effect.status is missing');
  for (const body of [null, [], 'text', 7]) expect((await post('createBot', body)).error).toContain('a JSON object');
  const broken = await fetch(`${platform.url}/control/createBot`, {
    method: 'POST',
    headers: JSON_BODY,
    body: '{"name":',
  });
  expect([broken.status, await broken.text()]).toEqual([400, expect.stringContaining('not JSON')]);
  const unknown = await fetch(`${platform.url}/control/sendMesage`, { method: 'POST', headers: JSON_BODY, body: '{}' });
  expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining('GET /control/')]);
});

const LIST = 'POST /control/listBots HTTP/1.1';
const JSON_TYPE = 'Content-Type: application/json';
test.each([
  ['a name that leads here', LIST, 'rebound.example', JSON_TYPE, 421],
  ['a name that leads here, with a description to read', 'GET /control/ HTTP/1.1', 'rebound.example', '', 421],
  ['another site by a form', LIST, '', 'Content-Type: text/plain', 415],
  ['another site by a script', LIST, '', `${JSON_TYPE}\r\nOrigin: https://evil.example`, 403],
  ['a page without an origin', LIST, '', `${JSON_TYPE}\r\nOrigin: null`, 403],
  ['another port of this machine', LIST, '', `${JSON_TYPE}\r\nSec-Fetch-Site: same-site`, 403],
  ['another site that reads', 'GET /control/ HTTP/1.1', '', 'Sec-Fetch-Site: cross-site', 403],
  ['a link to an operation', 'GET /control/listBots HTTP/1.1', '', 'Sec-Fetch-Mode: navigate', 405],
  ['a method that asks first', 'OPTIONS /control/listBots HTTP/1.1', '', 'Origin: https://evil.example', 405],
])('%s gets nothing from the control API', async (_who, line, host, header, status) => {
  const { token } = await platform.control.createBot({});
  const port = Number(new URL(platform.url).port);
  const head = `${line}\r\nHost: ${host || `127.0.0.1:${port}`}\r\nConnection: close\r\nContent-Length: 2`;
  const answer = await rawExchange(port, `${head}\r\n${header === '' ? '' : `${header}\r\n`}\r\n{}`);
  expect(answer).toContain(`HTTP/1.1 ${status} `);
  expect(answer).not.toContain(token);
  expect(answer.toLowerCase()).not.toContain('access-control');
});

test.each(['127.0.0.1', '[::1]:8081', 'localhost:1', 'Platform.internal:8081'])(
  'the control API answers at %s',
  async (host) => {
    const simulator = await startSimulator({ settings: { controlHosts: ['platform.internal'] } });
    const head = `${LIST}\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: 2\r\n${JSON_TYPE}`;
    expect(await rawExchange(simulator.port, `${head}\r\n\r\n{}`)).toContain('HTTP/1.1 200 ');
    await simulator.stop();
  },
);

test('a fault without an effect is refused, and no call fails for it', async () => {
  const bot = await platform.control.createBot({});
  expect(await post('setFault', {})).toMatchObject({ status: 400 });
  expect(await platform.control.listFaults()).toEqual([]);
  await platform.ok(bot, 'getMe');
});

test('who is banned can neither write, nor edit, nor press, react and vote; who comes back can', async () => {
  const { control } = platform;
  const bot = await control.createBot({});
  const [ann, ben] = [(await control.createPerson({})).id, (await control.createPerson({})).id];
  const { id: chat } = await control.createChat({
    type: 'supergroup',
    creator: ann,
    members: [ben],
    admins: [{ bot: bot.id }],
  });
  const { messageId } = await control.sendMessage({ person: ben, chat, text: 'before' });
  const poll = await platform.ok<{ message_id: number; poll: { id: string } }>(bot, 'sendPoll', {
    chat_id: chat,
    question: 'well?',
    options: ['yes', 'no'],
    reply_markup: { inline_keyboard: [[{ text: 'a', callback_data: 'a' }]] },
  });
  await platform.ok(bot, 'banChatMember', { chat_id: chat, user_id: ben });
  const tries = [
    () => control.sendMessage({ person: ben, chat, text: 'after' }),
    () => control.editMessage({ person: ben, chat, messageId, text: 'after' }),
    () => control.pressButton({ person: ben, chat, messageId: poll.message_id }),
    () => control.react({ person: ben, chat, messageId, emoji: ['👍'] }),
    () => control.vote({ person: ben, pollId: poll.poll.id, options: [0] }),
  ];
  for (const attempt of tries) await expect(attempt()).rejects.toThrow(/is banned from chat/);
  expect((await control.readChat({ chat })).messages.some(({ text }) => text === 'after')).toBe(false);

  await platform.ok(bot, 'restrictChatMember', { chat_id: chat, user_id: ben, permissions: {} });
  await expect(tries[0]!()).rejects.toThrow(/may not write/);
  await control.setMember({ chat, person: ben, status: 'member' });
  for (const attempt of tries) await attempt();
});

test('an id that is taken is not given away again, and a person may change their name', async () => {
  const { control } = platform;
  const { token } = await control.createBot({});
  await expect(control.createBot({ token })).rejects.toThrow(/there is already a bot/);
  const { id } = await control.createChat({ type: 'group' });
  await expect(control.createChat({ type: 'group', id })).rejects.toThrow(/there is already a chat/);
  const ann = await control.createPerson({ firstName: 'Ann', lastName: 'Old' });
  expect(await control.createPerson({ id: ann.id, firstName: 'Anna' })).toEqual({
    ...ann,
    first_name: 'Anna',
    last_name: undefined,
  });
});
