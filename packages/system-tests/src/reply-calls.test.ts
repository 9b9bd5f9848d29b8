import { startBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const PATIENCE = { timeoutMs: 60_000 };

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
}, 60_000);
afterAll(() => fleet.stop(), 60_000);

const boundary = 'reply-boundary';
const REPLY_MARKUP = { keyboard: [[{ text: 'Port' }]] };
const MARKUP_TEXT = JSON.stringify(REPLY_MARKUP);
const part = (name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** Makes a backend reply to a message with this body; returns the calls that the platform received. */
async function callsAfterReply(contentType: string, replyTo: (chat: number) => string) {
  const person = await fleet.control.createPerson({});
  const backend = await startBackend((_request, response) => {
    response.writeHead(200, { 'content-type': contentType }).end(replyTo(person.id));
  });
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url });
  try {
    await fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text: 'hello' });
    await backend.waitForRequests(1);
    // Once nothing is pending, the delivery has ended, and with it the call from its reply.
    await waitFor(async () => {
      const bots = await fleet.rest<{ id: number; pending_update_count: number }[]>('/api/bots');
      return bots.find(({ id }) => id === bot.id)?.pending_update_count === 0;
    });
    const { byMethod } = await fleet.control.readCalls({ bot: bot.platformId });
    return { bot, person, byMethod };
  } finally {
    await backend.stop();
  }
}

describe("a call in a backend's answer", () => {
  test.each<[string, string, (chat: number) => string]>([
    [
      'JSON',
      'application/json',
      (chat) => JSON.stringify({ method: 'sendMessage', chat_id: chat, text: 'by reply', reply_markup: REPLY_MARKUP }),
    ],
    [
      'urlencoded',
      'application/x-www-form-urlencoded',
      (chat) => `method=sendMessage&chat_id=${chat}&text=by+reply&reply_markup=${encodeURIComponent(MARKUP_TEXT)}`,
    ],
    [
      'multipart',
      `multipart/form-data; boundary=${boundary}`,
      (chat) =>
        `${part('method', 'sendMessage')}${part('chat_id', String(chat))}${part('text', 'by reply')}${part('reply_markup', MARKUP_TEXT)}--${boundary}--\r\n`,
    ],
  ])('in %s is executed once, and what it sent is in the history', async (_name, contentType, replyTo) => {
    const { bot, person, byMethod } = await callsAfterReply(contentType, replyTo);
    expect(byMethod.sendmessage).toBe(1);
    const stored = await waitFor(async () => {
      const rows = await fleet.rest<{ text?: string; outgoing: boolean }[]>(
        `/api/messages?bot_id=${bot.id}&chat_id=${person.id}`,
      );
      return rows.find((row) => row.outgoing && row.text === 'by reply');
    });
    expect(stored).toMatchObject({ keyboard: [['Port']] });
  });

  test.each([
    ['getMe', '{"method":"getMe"}'],
    ['deleteWebhook', '{"method":"deleteWebhook"}'],
    ['setWebhook', '{"method":"setWebhook","url":""}'],
    ['logOut', '{"method":"logOut"}'],
    ['no method', '{}'],
    ['broken JSON', '{"method":"sendMes'],
    ['a list', '["method"]'],
    ['ok!', 'ok! method'],
  ])('is not made of %s', async (_name, reply) => {
    const { byMethod } = await callsAfterReply('application/json', () => reply);
    const { getupdates: _polls, getme: asked, deletewebhook: removed, ...others } = byMethod;
    // Registering the bot made one call of each, and upkeep asks daily who the bot is.
    expect([Number(asked) > 0, removed]).toEqual([true, 1]);
    expect(others).toEqual({});
  });
});

describe('a call in an answer with a file', () => {
  const content = Buffer.alloc(5 * 1024 * 1024, 'a line of a file\r\n');
  /** The form that aiogram answers with: the method first, the file last, in chunks. */
  const form = (chat: number, file = content): Buffer[] => [
    Buffer.from(`${part('method', 'sendDocument')}${part('chat_id', String(chat))}${part('document', 'attach://one')}`),
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="one"; filename="a b.txt"\r\nContent-Type: text/plain\r\n\r\n`,
    ),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ];

  async function botThatAnswers(answer: (person: number) => Buffer[]) {
    const person = await fleet.control.createPerson({});
    const backend = await startBackend(({ text }, response) => {
      response.writeHead(200, { 'content-type': `multipart/form-data; boundary=${boundary}` });
      if (text.includes('nothing')) response.end();
      else {
        for (const piece of answer(person.id)) response.write(piece);
        response.end();
      }
    });
    const bot = await fleet.addBot({ backend_url: backend.url });
    const say = (text: string) => fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text });
    return { person, backend, bot, say };
  }
  const lastErrorOf = async ({ id }: { id: number }) =>
    (await fleet.rest<{ last_error: string }>(`/api/bots/show?id=${id}`)).last_error;

  test('is made with the whole file, and is in the history', async () => {
    const { person, backend, bot, say } = await botThatAnswers(form);
    try {
      await say('send me the file');
      const sent = async () => {
        const path = `/api/messages?bot_id=${bot.id}&chat_id=${person.id}`;
        const rows = await fleet.rest<{ outgoing: boolean; media_type?: string; file_id?: string }[]>(path);
        return rows.find((row) => row.outgoing && row.media_type === 'document');
      };
      await waitFor(sent, PATIENCE);
      const query = `bot_id=${bot.id}&file_id=${(await sent())?.file_id}`;
      const file = await fetch(`${fleet.url}/api/files?${query}`, {
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
      });
      expect(Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true);
      expect(await fleet.rest(`/api/deliveries/attempts?bot_id=${bot.id}`)).toEqual([
        expect.not.objectContaining({ call_error: expect.anything() }),
      ]);
      expect(await lastErrorOf(bot)).toBe('');
    } finally {
      await backend.stop();
    }
  }, 120_000);

  test.each<[string, (person: number) => Buffer[], RegExp]>([
    ['the platform refuses', () => form(1), /^The call of sendDocument in the answer did not succeed: 400 Bad Request/],
    [
      'is too long',
      (person) => form(person, Buffer.concat([content, content, content])),
      /^The call .* with files 10 MiB/,
    ],
    [
      'has too many parameters',
      (person) => [Buffer.from(part('x', '').repeat(1000)), ...form(person)],
      /^The call .* may have 1000 parameters/,
    ],
  ])(
    'that %s is told, though the update is delivered; a later delivery clears the error of the bot',
    async (_why, answer, words) => {
      const { backend, bot, say } = await botThatAnswers(answer);
      try {
        await say('send me the file');
        await waitFor(async () => words.test(await lastErrorOf(bot)), { ...PATIENCE, message: 'last_error' });
        const [attempt] = await fleet.rest<object[]>(`/api/deliveries/attempts?bot_id=${bot.id}`);
        expect(attempt).toMatchObject({ status: 200, call_error: expect.stringMatching(words) });
        expect(attempt).not.toHaveProperty('error');
        const info = await fetch(`${fleet.url}/tgapi/bot${bot.token}/getWebhookInfo`);
        expect(await info.json()).toMatchObject({ result: { last_error_message: expect.stringMatching(words) } });
        await say('nothing this time');
        await waitFor(async () => (await lastErrorOf(bot)) === '', PATIENCE);
        expect(backend.requests).toHaveLength(2);
      } finally {
        await backend.stop();
      }
    },
    120_000,
  );
});

describe('a call in the answer of a program whose webhook a token set', () => {
  const newToken = async (limits: object, settings: object = {}) => {
    const bot = await fleet.addBot({});
    const program = await fleet.rest<{ id: number }>('/api/programs/add', {
      bot_id: bot.id,
      name: 'relay',
      ...settings,
    });
    const body = { program_id: program.id, name: 'own', ...limits };
    const made = await fleet.rest<{ id: number; token: string }>('/api/programs/tokens/add', body);
    return { bot, program, ...made };
  };
  const setWebhook = async (token: string, url: string) => {
    const answer = await fetch(`${fleet.url}/tgapi/bot${token}/setWebhook?url=${encodeURIComponent(url)}`);
    expect(answer.status).toBe(200);
  };

  test('is made only if that token may make it', async () => {
    const person = await fleet.control.createPerson({});
    const backend = await startBackend(({ text }, response) => {
      const reply = text.includes('forbidden')
        ? { method: 'sendDice', chat_id: person.id }
        : { method: 'sendMessage', chat_id: person.id, text: 'by reply' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    });
    try {
      const { bot, token } = await newToken({ methods: ['setWebhook', 'sendMessage'] });
      await setWebhook(token, backend.url);
      const say = (text: string) => fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text });
      await say('forbidden');
      await say('allowed');
      const calls = async () => (await fleet.control.readCalls({ bot: bot.platformId })).byMethod;
      // The second is delivered once the answer to the first has been dealt with.
      await waitFor(async () => (await calls()).sendmessage === 1, PATIENCE);
      expect(backend.requests).toHaveLength(2);
      expect((await calls()).senddice).toBeUndefined();
    } finally {
      await backend.stop();
    }
  }, 120_000);

  test('stays in the chats of that token, as do its updates, and the webhook ends when the filter leaves them', async () => {
    const [mine, other] = [await fleet.control.createPerson({}), await fleet.control.createPerson({})];
    const backend = await startBackend(({ text }, response) => {
      const chat_id = text.includes('ask') ? mine.id : other.id;
      const reply = { method: 'sendMessage', chat_id, text: 'by reply' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    });
    try {
      const wide = { filter: { chat_ids: [mine.id, other.id] } };
      const { bot, program, token } = await newToken({ chats: [mine.id] }, wide);
      const say = (of: { id: number }, text: string) =>
        fleet.control.sendMessage({ person: of.id, bot: bot.platformId, text });
      const show = () =>
        fleet.rest<{ mode: string; pending_update_count: number }>(`/api/programs/show?id=${program.id}`);
      await say(other, 'from before');
      await waitFor(async () => (await show()).pending_update_count === 1, PATIENCE);
      const refused = await fetch(`${fleet.url}/tgapi/bot${token}/setWebhook?url=${backend.url}`);
      expect(refused.status).toBe(403);
      await fleet.rest('/api/programs/update', { id: program.id, filter: { chat_ids: [mine.id] } });
      await setWebhook(token, backend.url);
      await say(mine, 'tell');
      await say(mine, 'ask');
      const calls = async () => (await fleet.control.readCalls({ bot: bot.platformId })).byMethod;
      await waitFor(async () => (await show()).pending_update_count === 0, PATIENCE);
      await waitFor(async () => (await calls()).sendmessage === 1, PATIENCE);
      const texts = () => backend.requests.map(({ text }) => /"text":"([^"]*)"/.exec(text)?.[1]);
      expect(texts()).toEqual(['tell', 'ask']);
      const refusals = await fleet.rest<object[]>(`/api/programs/refusals?id=${program.id}`);
      expect(refusals).toContainEqual(
        expect.objectContaining({ reason: 'chat', method: 'sendmessage', chat_id: other.id }),
      );
      await fleet.rest('/api/programs/update', { id: program.id, ...wide });
      await say(other, 'later');
      await waitFor(async () => (await show()).mode === 'pull', PATIENCE);
      expect(texts()).toEqual(['tell', 'ask']);
      const log = await fleet.rest<{ details: string }[]>(`/api/adminlog?bot_id=${bot.id}`);
      expect(log.map(({ details }) => details)).toContainEqual(
        expect.stringMatching(/; its filter has left the chats of the token that set its webhook$/),
      );
    } finally {
      await backend.stop();
    }
  }, 120_000);

  test('stays in the topics of that token', async () => {
    const { control } = fleet;
    const person = (await control.createPerson({})).id;
    const places = { forum: 0, mine: 0, other: 0 };
    const backend = await startBackend(({ text }, response) => {
      const { message } = JSON.parse(text) as { message: { message_id: number; text?: string } };
      const topic = message.text === 'ask' ? places.other : places.mine;
      const reply = { method: 'sendMessage', chat_id: places.forum, message_thread_id: topic, text: 'by reply' };
      const answer = { ...reply, reply_parameters: { message_id: message.message_id } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    try {
      const known = await fleet.addBot();
      const admins = [{ bot: known.platformId }];
      places.forum = (await control.createChat({ type: 'supergroup', forum: true, creator: person, admins })).id;
      const inForum = { person, chat: places.forum };
      places.mine = (await control.createTopic({ ...inForum, name: 'Mine' })).topic;
      places.other = (await control.createTopic({ ...inForum, name: 'Other' })).topic;
      const filter = { chat_ids: [places.forum], thread_ids: [places.mine] };
      const program = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: known.id, name: 'a', filter });
      const limits = { chats: [places.forum], threads: [places.mine] };
      const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', {
        ...{ program_id: program.id, name: 'a', ...limits },
      });
      await setWebhook(token, backend.url);
      for (const text of ['tell', 'ask']) await control.sendMessage({ ...inForum, topic: places.mine, text });
      await control.sendMessage({ ...inForum, topic: places.other, text: 'not for it' });
      const refusals = () => fleet.rest<{ description: string }[]>(`/api/programs/refusals?id=${program.id}`);
      await waitFor(async () => (await refusals()).length === 1, PATIENCE);
      expect((await refusals())[0]?.description).toMatch(/message_thread_id is not one of its topics/);
      const sent = (await control.readChat({ chat: places.forum })).messages.filter(({ text }) => text === 'by reply');
      expect(sent.map(({ message_thread_id: thread }) => thread)).toEqual([places.mine]);
      expect(backend.requests.map(({ text }) => /"text":"([^"]*)"/.exec(text)?.[1])).toEqual(['tell', 'ask']);
    } finally {
      await backend.stop();
    }
  }, 120_000);

  test('is not made, as nothing is delivered, once that token has expired', async () => {
    const person = await fleet.control.createPerson({});
    const backend = await startBackend((_request, response) => {
      response.writeHead(200).end();
    });
    try {
      const expiresAtMs = Date.now() + 20_000;
      const { bot, program, token } = await newToken({ expires_at: new Date(expiresAtMs).toISOString() });
      await setWebhook(token, backend.url);
      await waitFor(() => Date.now() > expiresAtMs, PATIENCE);
      await fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text: 'late' });
      const show = () => fleet.rest<{ mode: string; backend_url: string }>(`/api/programs/show?id=${program.id}`);
      await waitFor(async () => (await show()).mode === 'pull', PATIENCE);
      expect(await show()).toMatchObject({ backend_url: '' });
      expect(backend.requests).toEqual([]);
      const log = await fleet.rest<{ details: string }[]>(`/api/adminlog?bot_id=${bot.id}`);
      const ended = expect.stringMatching(/; the token that set its webhook has ended$/);
      expect(log.map(({ details }) => details)).toContainEqual(ended);
      const kept = await fleet.rest<{ result: object[] }>(
        `/api/updates/poll?bot_id=${bot.id}&program_id=${program.id}`,
      );
      expect(kept.result).toHaveLength(1);
    } finally {
      await backend.stop();
    }
  }, 120_000);
});

test.each([
  ['user', undefined],
  ['admin', 1],
] as const)(
  'a call in the answer of a program whose URL a %s gave by REST may be what they may allow',
  async (role, named) => {
    const person = await fleet.control.createPerson({});
    const backend = await startBackend(({ text }, response) => {
      const reply = text.includes('rename')
        ? { method: 'setMyName', name: 'Renamed' }
        : { method: 'sendMessage', chat_id: person.id, text: 'by reply' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    });
    try {
      const bot = await fleet.addBot({});
      const { key } = await fleet.rest<{ key: string }>('/api/auth/api-keys', { name: role, role, bot_ids: [bot.id] });
      const added = await fetch(`${fleet.url}/api/programs/add`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        body: JSON.stringify({ bot_id: bot.id, name: 'relay', mode: 'push', backend_url: backend.url }),
      });
      expect(added.status).toBe(200);
      const { id } = (await added.json()) as { id: number };
      const say = (text: string) => fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text });
      await say('rename');
      await say('hello');
      const calls = async () => (await fleet.control.readCalls({ bot: bot.platformId })).byMethod;
      // The second is delivered once the answer to the first has been dealt with.
      await waitFor(async () => (await calls()).sendmessage === 1, PATIENCE);
      expect((await calls()).setmyname).toBe(named);
      const refused = async () => fleet.rest<{ method: string }[]>(`/api/programs/refusals?id=${id}`);
      const expected = named === undefined ? [expect.objectContaining({ method: 'setmyname' })] : [];
      await waitFor(async () => (await refused()).length === expected.length, PATIENCE);
      expect(await refused()).toEqual(expected);
    } finally {
      await backend.stop();
    }
  },
  120_000,
);
