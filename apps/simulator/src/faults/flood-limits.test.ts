import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { startTestPlatform, type TestPlatform } from '../conformance/test-platform.ts';
import { familyOf } from './flood-limits.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterEach(() => platform.control.setLimits({ limits: null }));
afterAll(() => platform.stop());

type Answer = { status: number; retryAfterS: number | null };

async function fresh() {
  const bot = await platform.control.createBot({});
  const person = (await platform.control.createPerson({})).id;
  await platform.control.startBot({ person, bot: bot.id, quietly: true });
  const { id: group } = await platform.control.createChat({ type: 'group', creator: person, members: [bot.id] });
  const call = async (method: string, params: object): Promise<Answer> => {
    const response = await fetch(`${platform.url}/bot${bot.token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    const body = (await response.json()) as { description?: string; parameters?: { retry_after: number } };
    const retryAfterS = body.parameters?.retry_after ?? null;
    expect(response.headers.get('retry-after')).toBe(retryAfterS === null ? null : String(retryAfterS));
    if (response.status === 429) expect(body.description).toBe(`Too Many Requests: retry after ${retryAfterS}`);
    return { status: response.status, retryAfterS };
  };
  const send = (chat: number) => call('sendMessage', { chat_id: chat, text: 'x' });
  const sent = async (chat: number, times: number) => {
    const statuses = [];
    for (let time = 0; time < times; time += 1) statuses.push((await send(chat)).status);
    return statuses;
  };
  return { bot, person, group, call, send, sent };
}

const advance = (seconds: number) => platform.control.advanceClock({ ms: seconds * 1_000 });
const times = (count: number, status: number) => Array<number>(count).fill(status);

test('without limits a bot sends as fast as it likes', async () => {
  const { bot, group, sent } = await fresh();
  expect(await sent(group, 40)).toEqual(times(40, 200));
  expect(await platform.control.readLimits({ bot: bot.id })).toMatchObject({ limits: null, refused: 0, waits: [] });
});

test('one chat takes a burst, then its rate', async () => {
  const { bot, person, send, sent } = await fresh();
  await platform.control.setLimits({ bot: bot.id, limits: { perChatSecond: 0.1, chatBurst: 3 } });
  expect(await sent(person, 3)).toEqual(times(3, 200));
  expect(await send(person)).toEqual({ status: 429, retryAfterS: 10 });
  await advance(10);
  expect(await sent(person, 2)).toEqual([200, 429]);
});

test('a group takes so many messages a minute, and copies count each', async () => {
  const { bot, person, group, call, send, sent } = await fresh();
  await platform.control.setLimits({ limits: { perGroupMinute: 20 } });
  expect(await sent(person, 30)).toEqual(times(30, 200));
  expect(await sent(group, 10)).toEqual(times(10, 200));
  const { messages } = await platform.control.readChat({ person, bot: bot.id });
  const copied = messages.slice(0, 10).map(({ message_id }) => message_id);
  const copies = { chat_id: group, from_chat_id: person, message_ids: copied };
  expect((await call('copyMessages', copies)).status).toBe(200);
  const refused = await send(group);
  expect(refused.status).toBe(429);
  expect(refused.retryAfterS).toBeGreaterThan(30);
  await advance(60);
  expect((await send(group)).status).toBe(200);
});

test('a bot has a rate over all its chats, and other bots have their own', async () => {
  const [{ bot, person, group, send }, other] = [await fresh(), await fresh()];
  await platform.control.setLimits({ bot: bot.id, limits: { perSecond: 2 } });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index % 2 === 0 ? person : group)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.slice(0, 2)).toEqual([200, 200]);
  expect(statuses).toContain(429);
  expect(await other.sent(other.person, 20)).toEqual(times(20, 200));
  await platform.control.setLimits({ bot: bot.id, limits: null });
  expect((await send(person)).status).toBe(200);
});

test('edits and chat actions have to wait apart from sends, other methods never', async () => {
  const { bot, person, call, send } = await fresh();
  await platform.control.setLimits({ limits: { perChatSecond: 0.01, chatBurst: 1 } });
  const message = await platform.ok<{ message_id: number }>(bot, 'sendMessage', { chat_id: person, text: 'x' });
  const at = { chat_id: person, message_id: message.message_id };
  const typing = { chat_id: person, action: 'typing' };
  expect((await send(person)).status).toBe(429);
  expect((await call('editMessageText', { ...at, text: 'y' })).status).toBe(200);
  expect((await call('editMessageText', { ...at, text: 'z' })).status).toBe(429);
  expect((await call('sendChatAction', typing)).status).toBe(200);
  expect((await call('sendChatAction', typing)).status).toBe(429);
  expect((await call('deleteMessage', at)).status).toBe(200);
  const { refused, refusedByMethod, waits } = await platform.control.readLimits({ bot: bot.id });
  expect([refused, refusedByMethod]).toEqual([3, { sendmessage: 1, editmessagetext: 1, sendchataction: 1 }]);
  expect(waits.map(({ family, chat }) => [family, chat])).toEqual([
    ['send', person],
    ['edit', person],
    ['action', person],
  ]);
});

test('a wait grows when a bot calls during it, and ends for a bot that waits', async () => {
  const { bot, person, send } = await fresh();
  await platform.control.setLimits({ limits: { waitGrowth: 2, longestWaitS: 200 } });
  await platform.control.setFloodWait({ bot: bot.id, chat: person, seconds: 60 });
  const seen: (number | null)[] = [];
  for (let knock = 0; knock < 3; knock += 1) {
    seen.push((await send(person)).retryAfterS);
    await advance(5);
  }
  expect(seen).toEqual([120, 200, 200]);
  await advance(200);
  expect((await send(person)).status).toBe(200);
});

test('calls side by side make a wait longer once', async () => {
  const { bot, person, send } = await fresh();
  await platform.control.setFloodWait({ bot: bot.id, seconds: 60 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(person)));
  expect(new Set(answers.map(({ retryAfterS }) => retryAfterS))).toEqual(new Set([120]));
  await platform.control.setFloodWait({ bot: bot.id, seconds: 0 });
  expect((await send(person)).status).toBe(200);
});

test('a wait may be for one chat, or for one family of methods', async () => {
  const { bot, person, group, call, send } = await fresh();
  await platform.control.setFloodWait({ bot: bot.id, chat: group, seconds: 60 });
  expect([(await send(group)).status, (await send(person)).status]).toEqual([429, 200]);
  await platform.control.setFloodWait({ bot: bot.id, family: 'action', seconds: 60 });
  expect((await call('sendChatAction', { chat_id: person, action: 'typing' })).status).toBe(429);
  expect((await send(person)).status).toBe(200);
});

test('each method is in the family that its limit is known for', () => {
  const families = Object.fromEntries(
    [
      ...['sendmessage', 'copymessages', 'forwardmessage', 'sendinvoice', 'sendmessagedraft', 'editmessagemedia'],
      ...['stoppoll', 'sendgift', 'answercallbackquery', 'deletemessage', 'getupdates', 'editchatinvitelink'],
    ].map((method) => [method, familyOf(method)]),
  );
  expect(families).toEqual({
    sendmessage: 'send',
    copymessages: 'send',
    forwardmessage: 'send',
    sendinvoice: 'send',
    sendmessagedraft: 'action',
    editmessagemedia: 'edit',
    stoppoll: 'edit',
    sendgift: null,
    answercallbackquery: null,
    deletemessage: null,
    getupdates: null,
    editchatinvitelink: null,
  });
});
