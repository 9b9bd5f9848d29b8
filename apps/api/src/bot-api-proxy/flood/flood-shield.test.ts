import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramTokenResource } from '@flotilla/contract/program-tokens.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { paceKeys } from '@flotilla/redis/call-keys.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { serverNowMs } from '@flotilla/redis/server-now.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import {
  answerCall,
  type FloodingPlatform,
  floodText,
  type PlatformCall,
  refuseCall,
  startFloodingPlatform,
} from '@flotilla/testing/flooding-platform.ts';
import { openLive } from '@flotilla/testing/live-client.ts';
import { rawConnection } from '@flotilla/testing/raw-http.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const MINUTE_S = 60;
const HOUR_S = 3_600;

let platform: FloodingPlatform;
let api: TestApi;
let pod: Awaited<ReturnType<TestApi['startPod']>>;
let names = 0;

beforeAll(async () => {
  platform = await startFloodingPlatform();
  api = await startTestApi({ TELEGRAM_API_URL: platform.url });
  pod = await api.startPod();
}, 60_000);
afterAll(async () => {
  await api?.stop();
  await platform?.stop();
});
beforeEach(() => platform.clear());

async function addBot(settings: object = {}): Promise<BotResource> {
  // On a busy machine the platform may not answer in time.
  const added = await waitFor(async () => {
    const answer = await api.admin('POST', '/api/bots/add', { body: { token: platform.newToken(), ...settings } });
    return answer.status === 502 ? null : answer;
  });
  expect(added?.status).toBe(200);
  const bot = added!.json as BotResource;
  await waitFor(async () => (await shown(bot, pod.url)).id === bot.id);
  return bot;
}

type Answer = { status: number; text: string; by: string | null; retryAfter: string | null };
async function send(token: string, method: string, init: RequestInit = {}, url = api.url): Promise<Answer> {
  const answer = await fetch(`${url}/tgapi/bot${token}/${method}`, init);
  const { status, headers } = answer;
  const by = headers.get('flotilla-answered-by');
  return { status, text: await answer.text(), by, retryAfter: headers.get('retry-after') };
}
const json = (fields: object): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(fields),
  headers: { 'content-type': 'application/json' },
});
const to = (chat_id: number | string, text = 'x') => json({ chat_id, text });
const part = (name: string, content: string, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
const form = (...parts: string[]): RequestInit => ({
  method: 'POST',
  body: `${parts.join('')}--b--\r\n`,
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
});
const shown = async ({ id }: BotResource, url = api.url) => {
  const answer = await fetch(`${url}/api/bots/show?id=${id}`, {
    headers: { authorization: `Bearer ${api.env.ADMIN_API_KEY}` },
  });
  return (await answer.json()) as BotResource;
};
/** While Redis is away, a replica may say nothing of the bot. */
const heard = (bot: BotResource, url = pod.url) =>
  waitFor(async () => typeof (await shown(bot, url)).flood_until === 'string', { timeoutMs: 30_000 });
const over = (bot: BotResource, url = pod.url) => waitFor(async () => (await shown(bot, url)).flood_until === null);

const knownFloods = () => readMetric(api, 'flotilla_floods');
const firstCall = async (): Promise<PlatformCall> => {
  await waitFor(() => platform.calls.length > 0);
  return platform.calls[0]!;
};

/** Lets the platform refuse one call of the bot, at the first replica. */
async function flood(bot: BotResource, seconds = MINUTE_S, method = 'sendMessage', init = to(5)): Promise<void> {
  platform.refuse(method, seconds);
  expect(await send(bot.token, method, init)).toMatchObject({ status: 429, by: null, text: floodText(seconds) });
  platform.clear();
  await heard(bot);
}

describe('a 429 that one replica got', () => {
  test('is answered by the other one in the words of the platform, with the seconds that remain', async () => {
    const bot = await addBot({ flood: 'shield' });
    await flood(bot);
    const answer = await send(bot.token, 'sendMessage', to(5), pod.url);
    const seconds = Number(answer.retryAfter);
    expect(answer).toEqual({ status: 429, by: 'flood-shield', retryAfter: String(seconds), text: floodText(seconds) });
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(MINUTE_S);
    expect(platform.calls).toEqual([]);
    expect(await readMetric(pod, 'flotilla_flood_answered_calls_total')).toBe(1);
  });

  test.each([
    ['a query string', 'sendMessage?chat_id=5&text=x', {}],
    ['a form', 'sendMessage', { method: 'POST', body: new URLSearchParams({ text: 'x', chat_id: '5' }) }],
    [
      'a form of parts',
      'sendPhoto',
      form(part('chat_id', '5'), part('photo', 'x'.repeat(200_000), '; filename="p.jpg"')),
    ],
    ['JSON that names the chat last', 'copyMessage', json({ text: 'x'.repeat(3000), chat_id: 5 })],
    ['a parameter that names the method', '', json({ method: 'sendMessage', chat_id: '5', text: 'x' })],
    ['a method in other letters', 'SENDMESSAGE', to('5')],
  ])('holds what names its chat in %s', async (_, method, init: RequestInit) => {
    const bot = await addBot({ flood: 'shield' });
    await flood(bot);
    expect(await send(bot.token, method, init)).toMatchObject({ status: 429, by: 'flood-shield' });
    expect(platform.calls).toEqual([]);
  });

  test('holds a body that comes in pieces and has no length', async () => {
    const bot = await addBot({ flood: 'shield' });
    await flood(bot);
    const head = `POST /tgapi/bot${bot.token}/sendMessage HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n`;
    const client = await rawConnection(api.port);
    client.send(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const text = '{"chat_id":5,"text":"x"}';
    for (const piece of [text.slice(0, 12), text.slice(12)])
      client.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    client.send('0\r\n\r\n');
    expect(await client.waitFor(/retry_after":\d+\}\}/)).toMatch(
      /^HTTP\/1.1 429 .*flotilla-answered-by: flood-shield/is,
    );
    expect(platform.calls).toEqual([]);
    client.end();
  });

  test('lets other chats, other families and large uploads to other chats pass, byte for byte', async () => {
    const bot = await addBot({ flood: 'shield' });
    await flood(bot);
    const photo = form(part('chat_id', '6'), part('photo', 'y'.repeat(300_000), '; filename="p.jpg"'));
    const others = [
      await send(bot.token, 'sendMessage', to(6)),
      await send(bot.token, 'sendPhoto', photo),
      await send(bot.token, 'editMessageText', json({ chat_id: 5, message_id: 1, text: 'y' })),
      await send(bot.token, 'sendChatAction', json({ chat_id: 5, action: 'typing' })),
      await send(bot.token, 'getChat?chat_id=5'),
    ];
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const [, uploaded] = platform.calls;
    expect(uploaded!.text.endsWith(String(photo.body))).toBe(true);
  });

  test('of a method without a chat holds that method alone', async () => {
    const bot = await addBot({ flood: 'shield' });
    const commands = json({ commands: [] });
    await flood(bot, MINUTE_S, 'setMyCommands', commands);
    expect(await send(bot.token, 'SETMYCOMMANDS', commands, pod.url)).toMatchObject({
      status: 429,
      by: 'flood-shield',
    });
    const others = [
      await send(bot.token, 'banChatMember', json({ chat_id: -100, user_id: 5 })),
      await send(bot.token, 'getChat?chat_id=5', {}, pod.url),
      await send(bot.token, 'answerCallbackQuery', json({ callback_query_id: '7' })),
      await send(bot.token, 'setMyName', json({ name: 'x' }), pod.url),
      await send(bot.token, 'sendMessage', to(5)),
      await send(bot.token, 'getMe'),
    ];
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  });

  test('of a send without a chat holds sends to every chat', async () => {
    const bot = await addBot({ flood: 'shield' });
    await flood(bot, MINUTE_S, 'sendMessage', json({ text: 'x' }));
    expect(await send(bot.token, 'sendMessage', to(5), pod.url)).toMatchObject({ status: 429, by: 'flood-shield' });
    expect(await send(bot.token, 'getChat?chat_id=5')).toMatchObject({ status: 200 });
  });

  test('of an ephemeral message that answers a press, and names no chat, holds nothing', async () => {
    const bot = await addBot({ flood: 'shield' });
    const answer = json({ text: 'x', ephemeral_message_parameters: { callback_query_id: '7' } });
    platform.refuse('sendMessage', MINUTE_S);
    expect(await send(bot.token, 'sendMessage', answer)).toMatchObject({ status: 429, by: null });
    platform.clear();
    expect(await send(bot.token, 'sendMessage', to(5))).toMatchObject({ status: 200 });
    expect(await send(bot.token, 'sendMessage', answer)).toMatchObject({ status: 200 });
  });

  test('with an inline message holds edits of that message only', async () => {
    const bot = await addBot({ flood: 'shield' });
    const edit = (inline_message_id: string) => json({ inline_message_id, text: 'y' });
    await flood(bot, MINUTE_S, 'editMessageText', edit('AbC'));
    expect(await send(bot.token, 'editMessageText', edit('AbC'))).toMatchObject({ by: 'flood-shield' });
    expect(await send(bot.token, 'editMessageText', edit('AbD'))).toMatchObject({ status: 200 });
  });

  test('through a business connection holds that chat of it, and no other with the same id', async () => {
    const bot = await addBot({ flood: 'shield' });
    const through = (business_connection_id: string) => json({ chat_id: 5, text: 'x', business_connection_id });
    await flood(bot, MINUTE_S, 'sendMessage', through('Abc-1'));
    expect(await send(bot.token, 'sendMessage', through('Abc-1'), pod.url)).toMatchObject({ by: 'flood-shield' });
    const others = [
      await send(bot.token, 'sendMessage', through('Abc-2')),
      await send(bot.token, 'sendMessage', to(5)),
    ];
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    await flood(bot);
    expect(await send(bot.token, 'sendMessage', through('Abc-2'))).toMatchObject({ status: 200 });
  });

  test('is passed on by a bot whose setting is pass, which nothing holds', async () => {
    const bot = await addBot();
    await flood(bot);
    platform.refuse('sendMessage', 7);
    expect(await send(bot.token, 'sendMessage', to(5), pod.url)).toMatchObject({ by: null, text: floodText(7) });
    expect(platform.calls).toHaveLength(1);
  });

  test('is nothing to a bot that is not registered', async () => {
    const token = platform.newToken();
    const before = await knownFloods();
    platform.refuse('sendMessage', MINUTE_S);
    for (let call = 0; call < 3; call += 1)
      expect(await send(token, 'sendMessage', to(5))).toMatchObject({ status: 429, by: null });
    expect(platform.calls).toHaveLength(3);
    expect(await knownFloods()).toBe(before);
  });
});

describe('a flood', () => {
  test('ends when a call passes that began after its 429, in every replica', async () => {
    const bot = await addBot();
    await flood(bot);
    expect(await send(bot.token, 'sendMessage', to(6), pod.url)).toMatchObject({ status: 200 });
    expect((await shown(bot)).flood_until).not.toBeNull();
    expect(await send(bot.token, 'sendMessage', to(5), pod.url)).toMatchObject({ status: 200 });
    await over(bot, api.url);
    await over(bot);
  });

  test('does not end when a call passes that began before', async () => {
    const bot = await addBot();
    platform.hold('sendMessage');
    const early = send(bot.token, 'sendMessage', to(5));
    const held = await firstCall();
    await flood(bot);
    answerCall(held.open, { message_id: 1 });
    expect(await early).toMatchObject({ status: 200 });
    expect((await shown(bot)).flood_until).not.toBeNull();
    expect((await shown(bot, pod.url)).flood_until).not.toBeNull();
  });

  test('is prolonged, and never shortened by an answer that comes late', async () => {
    const bot = await addBot();
    platform.hold('sendMessage');
    const late = send(bot.token, 'sendMessage', to(5));
    const held = await firstCall();
    await flood(bot, 20);
    const first = Date.parse((await shown(bot)).flood_until!);
    await flood(bot, 90);
    await waitFor(async () => Date.parse((await shown(bot, pod.url)).flood_until!) > first + 60_000);
    const longest = (await shown(bot)).flood_until;
    refuseCall(held.open, 3);
    expect(await late).toMatchObject({ text: floodText(3) });
    expect((await shown(bot)).flood_until).toBe(longest);
  });

  test('ends by time, and is shown while it lasts: in the list, as attention, and live', async () => {
    const bot = await addBot({ flood: 'shield', long_poll_enabled: true });
    const live = await openLive(pod.url, `bot:${bot.id},chat:${bot.id}:5`, { key: api.env.ADMIN_API_KEY! });
    await waitFor(() => live.lastEventId() !== '');
    await flood(bot, 2);
    const now = await shown(bot);
    expect(now.attention).toMatchObject([{ kind: 'flood', severity: 'warning', since: expect.any(String) }]);
    const listed = await api.admin('GET', '/api/bots', { query: { attention: 'flood' } });
    expect((listed.json as BotResource[]).map(({ id }) => id)).toContain(bot.id);
    await over(bot);
    await waitFor(() => live.named('flood').length >= 2);
    const floods = live.named('flood').map(({ data }) => data);
    const about = { bot_id: bot.id, chat_id: 5, family: 'send' };
    expect([floods[0], floods.at(-1)]).toEqual([
      { ...about, until: expect.any(String) },
      { ...about, until: null },
    ]);
    await waitFor(() => live.named('bot').some(({ data }) => (data as BotResource).flood_until !== null));
    await waitFor(() => (live.named('bot').at(-1)!.data as BotResource).flood_until === null);
    live.close();
    expect(await send(bot.token, 'sendMessage', to(5))).toMatchObject({ status: 200 });
  });

  test('of the whole bot is followed by calls at times that all processes and the outbox share', async () => {
    const [bot, calm] = [await addBot({ flood: 'shield' }), await addBot({ flood: 'shield' })];
    const redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
    const reserve = async ({ id }: BotResource) => {
      const atMs = (await serverNowMs(redis)) + 1_000;
      await redis.commands.lpush(paceKeys(id).bot, atMs);
      return atMs;
    };
    await flood(bot, 1, 'sendMessage', json({ text: 'x' }));
    await over(bot, api.url);
    await over(bot);
    for (const url of [api.url, pod.url]) {
      const atMs = await reserve(bot);
      expect(await send(bot.token, 'sendMessage', to(6), url)).toMatchObject({ status: 200 });
      expect(await serverNowMs(redis)).toBeGreaterThan(atMs);
    }
    await send(calm.token, 'sendMessage', to(6));
    expect(await redis.commands.exists(paceKeys(calm.id).bot)).toBe(0);
    await redis.close();
  });

  test('is known to a replica that starts later, and survives a Redis that lost everything', async () => {
    const bot = await addBot({ flood: 'shield' });
    await flood(bot);
    const third = await api.startPod();
    await heard(bot, third.url);
    await third.stop();
    const redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
    await redis.removeKeys('{floods}');
    // A subscription that begins anew reads what there is.
    for (const server of redis.servers()) await server.client('KILL', 'TYPE', 'PUBSUB');
    await waitFor(async () => (await redis.commands.zcard('{floods}:until')) > 0);
    await redis.close();
    const fourth = await api.startPod();
    await heard(bot, fourth.url);
    expect(await send(bot.token, 'sendMessage', to(5), fourth.url)).toMatchObject({ by: 'flood-shield' });
    await fourth.stop();
  });
});

describe('calls of a bot whose setting is wait', () => {
  const heldCalls = () => readMetric(api, 'flotilla_flood_held_calls');
  const waits = (calls: number) => waitFor(async () => (await heldCalls()) === calls);

  test('are held until the flood is over, and then passed on in their order', async () => {
    const bot = await addBot({ flood: 'wait' });
    await flood(bot, 3);
    const first = send(bot.token, 'sendMessage', to(5, 'first'));
    await waits(1);
    const second = send(bot.token, 'sendMessage', to(5, 'second'));
    await waits(2);
    expect(platform.calls).toEqual([]);
    expect(await send(bot.token, 'sendMessage', to(6, 'other'))).toMatchObject({ status: 200 });
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200]);
    expect(platform.calls.map(({ text }) => /other|first|second/.exec(text)![0])).toEqual(['other', 'first', 'second']);
    await waits(0);
  });

  test('are answered at once if it lasts longer than 30 s, or so many wait already', async () => {
    const bot = await addBot({ flood: 'wait' });
    await flood(bot, 31);
    expect(await send(bot.token, 'sendMessage', to(5))).toMatchObject({ status: 429, by: 'flood-shield' });
    const many = await addBot({ flood: 'wait' });
    await flood(many, 20);
    const gone = new AbortController();
    const held = Array.from({ length: 150 }, () =>
      send(many.token, 'sendMessage', { ...to(5), signal: gone.signal }).catch(() => null),
    );
    await waits(150);
    expect(await send(many.token, 'sendMessage', to(5))).toMatchObject({ status: 429, by: 'flood-shield' });
    const program = await api.admin('POST', '/api/programs/add', {
      body: { bot_id: many.id, name: 'calm', mode: 'pull' },
    });
    const made = await api.admin('POST', '/api/programs/tokens/add', {
      body: { program_id: (program.json as { id: number }).id, name: 't' },
    });
    const { token } = made.json as { token: string };
    held.push(send(token, 'sendMessage', { ...to(5), signal: gone.signal }).catch(() => null));
    await waits(151);
    gone.abort();
    await Promise.all(held);
    await waits(0);
    expect(platform.calls).toEqual([]);
  });

  test('are given up with their client', async () => {
    const bot = await addBot({ flood: 'wait' });
    await flood(bot, 25);
    const client = await rawConnection(api.port);
    const { body } = to(5);
    const head = `POST /tgapi/bot${bot.token}/sendMessage HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n`;
    client.send(`${head}Content-Length: ${String(body).length}\r\n\r\n${body}`);
    await waits(1);
    client.socket.destroy();
    await waits(0);
    expect(platform.calls).toEqual([]);
  });

  test('are answered when their process stops', async () => {
    const bot = await addBot({ flood: 'wait' });
    await flood(bot, 25);
    const third = await api.startPod();
    await heard(bot, third.url);
    const held = send(bot.token, 'sendMessage', to(5), third.url);
    await waitFor(async () => (await readMetric(third, 'flotilla_flood_held_calls')) === 1);
    await third.stop();
    expect(await held).toMatchObject({ status: 429, by: 'flood-shield' });
    expect(platform.calls).toEqual([]);
  });

  test('go on as soon as another call ends the flood, an upload with its whole body', async () => {
    const bot = await addBot({ flood: 'wait' });
    await flood(bot, 25);
    const photo = form(part('chat_id', '5'), part('photo', 'z'.repeat(300_000), '; filename="p.jpg"'));
    const held = send(bot.token, 'sendPhoto', photo);
    await waits(1);
    await api.admin('POST', '/api/bots/update', { body: { id: bot.id, flood: 'pass' } });
    await waitFor(async () => (await shown(bot, pod.url)).flood === 'pass');
    expect(await send(bot.token, 'sendMessage', to(5), pod.url)).toMatchObject({ status: 200 });
    expect(await held).toMatchObject({ status: 200 });
    expect(platform.calls.at(-1)!.text.endsWith(String(photo.body))).toBe(true);
  });
});

test('calls to a chat of which a flood has just ended go one after the other, so that one of them meets the next', async () => {
  for (const mode of ['shield', 'wait']) {
    const bot = await addBot({ flood: mode });
    await flood(bot, 1);
    await over(bot, api.url);
    platform.refuse('sendMessage', MINUTE_S);
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(bot.token, 'sendMessage', to(5))));
    expect(answers.map(({ by }) => by).sort()).toEqual([...Array(4).fill('flood-shield'), null]);
    expect(platform.calls).toHaveLength(1);
    platform.clear();
  }
});

describe('a bot that is refused in three chats', () => {
  async function floodThree(): Promise<BotResource> {
    const bot = await addBot({ flood: 'shield' });
    platform.refuse('sendMessage', MINUTE_S);
    for (const chat of [5, 6, 7]) expect(await send(bot.token, 'sendMessage', to(chat))).toMatchObject({ by: null });
    return bot;
  }
  const isHeld = async (bot: BotResource, chat: number, url: string) =>
    (await send(bot.token, 'sendMessage', to(chat), url)).by === 'flood-shield';
  const inRest = async (bot: BotResource) => {
    // Whoever asks too early is one more try in a quiet chat.
    const chats = Array.from({ length: 100 }, (_, at) => 100 + at);
    for (const url of [api.url, pod.url]) await waitFor(() => isHeld(bot, chats.pop()!, url));
  };

  test('has to wait as a whole, once a quiet chat has shown it, and tries one every few seconds', async () => {
    const bot = await floodThree();
    await inRest(bot);
    expect(await send(bot.token, 'sendChatAction', json({ chat_id: 9, action: 'typing' }))).toMatchObject({
      status: 200,
    });
    const begun = platform.calls.length;
    platform.clear();
    expect(begun).toBeGreaterThan(3);
    await waitFor(async () => (await send(bot.token, 'sendMessage', to(9), pod.url)).status === 200);
    for (const url of [api.url, pod.url]) await waitFor(async () => !(await isHeld(bot, 10, url)));
    expect(await isHeld(bot, 5, pod.url)).toBe(true);
  });

  test.each([
    [
      'and in more, which it filled before',
      async (bot: BotResource) => {
        for (const chat of [8, 9]) {
          for (let sent = 0; sent < 5; sent += 1) await send(bot.token, 'sendMessage', to(chat));
        }
      },
      [8, 9],
    ],
    ['while another takes messages', async () => undefined, []],
  ] as const)('goes on in others, %s', async (_, fill, filled) => {
    const bot = await addBot({ flood: 'shield' });
    await fill(bot);
    platform.refuse('sendMessage', MINUTE_S, '"chat_id":5,');
    platform.refuse('sendMessage', MINUTE_S, '"chat_id":6,');
    platform.refuse('sendMessage', MINUTE_S, '"chat_id":7,');
    for (const chat of filled) platform.refuse('sendMessage', MINUTE_S, `"chat_id":${chat},`);
    for (const chat of [5, 6, 7, ...filled]) {
      expect(await send(bot.token, 'sendMessage', to(chat))).toMatchObject({ status: 429, by: null });
    }
    for (const chat of [20, 21, 22]) {
      for (const url of [api.url, pod.url]) {
        expect(await send(bot.token, 'sendMessage', to(chat), url)).toMatchObject({ status: 200 });
      }
    }
  });
});

test('a bot that is refused in many busy chats has to wait as a whole, until a try shows that only they are full', async () => {
  const bot = await addBot({ flood: 'shield' });
  const groups = [11, 31].map((first) => Array.from({ length: 8 }, (_, at) => first + at));
  for (const chat of groups.flat()) {
    for (let sent = 0; sent < 5; sent += 1) await send(bot.token, 'sendMessage', to(chat));
  }
  const isHeld = async () => (await send(bot.token, 'sendMessage', to(50))).by === 'flood-shield';
  const fill = async (chats: number[]) => {
    for (const chat of chats) platform.refuse('sendMessage', MINUTE_S, `"chat_id":${chat},`);
    for (const chat of chats) expect((await send(bot.token, 'sendMessage', to(chat))).status).toBe(429);
  };
  await fill(groups[0]!);
  expect(await isHeld()).toBe(true);
  await waitFor(async () => !(await isHeld()));
  await fill(groups[1]!);
  expect(await isHeld()).toBe(false);
});

describe('a token of a program', () => {
  async function tokenOf(bot: BotResource, limits: object = {}): Promise<string> {
    names += 1;
    const program = await api.admin('POST', '/api/programs/add', {
      body: { bot_id: bot.id, name: `helper ${names}` },
    });
    const body = { program_id: (program.json as ProgramResource).id, name: 'a token', ...limits };
    const made = await api.admin('POST', '/api/programs/tokens/add', { body });
    return (made.json as ProgramTokenResource & { token: string }).token;
  }

  test('shares the floods of its bot, with and without limits', async () => {
    const bot = await addBot({ flood: 'shield' });
    const tokens = [await tokenOf(bot), await tokenOf(bot, { chats: [5, 6] })];
    await flood(bot);
    for (const token of tokens) {
      expect(await send(token, 'sendMessage', to(5))).toMatchObject({ status: 429, by: 'flood-shield' });
      expect(await send(token, 'sendMessage?chat_id=5&text=x')).toMatchObject({ status: 429, by: 'flood-shield' });
      expect(await send(token, 'sendMessage', to(6))).toMatchObject({ status: 200 });
    }
    expect(await send(tokens[1]!, 'sendMessage', to(7))).toMatchObject({ status: 403, by: null });
    expect(platform.calls).toHaveLength(2);
  });

  test('has no more in forms that are held than there is room for, and what is held counts', async () => {
    const bot = await addBot({ flood: 'wait' });
    const token = await tokenOf(bot, { chats: [5] });
    await flood(bot, 25);
    const gone = new AbortController();
    const bytes = 900_000;
    const large = { ...form(part('chat_id', '5'), part('text', 'x'.repeat(bytes))), signal: gone.signal };
    const calls = [send(token, 'sendMessage', large)];
    await waitFor(async () => (await readMetric(api, 'flotilla_flood_held_calls')) === 1);
    expect(await readMetric(api, 'flotilla_held_body_bytes')).toBeGreaterThan(bytes);
    calls.push(...Array.from({ length: 11 }, () => send(token, 'sendMessage', large)));
    expect(await Promise.race(calls)).toMatchObject({ status: 429, by: 'flood-shield' });
    gone.abort();
    await Promise.allSettled(calls);
    await waitFor(async () => (await readMetric(api, 'flotilla_held_body_bytes')) === 0);
  });

  test('teaches its bot, also by calls that are written anew', async () => {
    for (const limits of [{}, { chats: [5, 6] }]) {
      const bot = await addBot({ flood: 'shield' });
      const token = await tokenOf(bot, limits);
      platform.refuse('sendMessage', MINUTE_S);
      expect(await send(token, 'sendMessage', to(5))).toMatchObject({ status: 429, by: null });
      expect(await send(bot.token, 'sendMessage', to(5))).toMatchObject({ status: 429, by: 'flood-shield' });
      platform.clear();
      expect(await send(bot.token, 'sendMessage', to(6))).toMatchObject({ status: 200 });
    }
  });
});

describe('what Flotilla sends itself', () => {
  test('is not sent, whatever the setting: REST answers 429 with the seconds', async () => {
    const bot = await addBot();
    await flood(bot);
    const sent = await api.admin('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id: 5, text: 'x' } });
    expect(sent).toMatchObject({
      status: 429,
      json: { error: expect.stringMatching(/^Too Many Requests: retry after \d+$/) },
    });
    expect(Number(sent.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(platform.calls).toEqual([]);
  });

  test('waits for as long as the page of a gateway says, into that chat alone', async () => {
    const bot = await addBot();
    const sendTo = (chat_id: number) =>
      api.admin('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id, text: 'x' } });
    platform.refuseByPage('sendMessage', 2 * HOUR_S, '"chat_id":5');
    expect((await sendTo(5)).status).toBe(429);
    expect((await sendTo(6)).status).toBe(200);
    const again = await sendTo(5);
    expect([again.status, Number(again.headers.get('retry-after')) > HOUR_S]).toEqual([429, true]);
    expect(platform.calls).toHaveLength(2);
  });

  test('teaches every replica', async () => {
    const bot = await addBot({ flood: 'shield' });
    platform.refuse('sendMessage', MINUTE_S);
    await api.admin('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id: 5, text: 'x' } });
    await heard(bot);
    expect(await send(bot.token, 'sendMessage', to(5), pod.url)).toMatchObject({ status: 429, by: 'flood-shield' });
  });
});

// Last, because the stores of a fleet are away for a while.
describe('while Redis is away', () => {
  test('a replica remembers for itself, and tells the others afterwards', async () => {
    const bot = await addBot({ flood: 'shield' });
    await send(bot.token, 'sendMessage', to(6));
    const restarting = api.redis.restart();
    platform.refuse('sendMessage', MINUTE_S);
    expect(await send(bot.token, 'sendMessage', to(5))).toMatchObject({ status: 429, by: null });
    expect(await send(bot.token, 'sendMessage', to(5))).toMatchObject({ status: 429, by: 'flood-shield' });
    await restarting;
    await heard(bot);
    expect(await send(bot.token, 'sendMessage', to(5), pod.url)).toMatchObject({ status: 429, by: 'flood-shield' });
    expect(platform.calls).toHaveLength(2);
  });
});
