import type { MessageResource } from '@flotilla/contract/messages.ts';
import type { ProgramRefusalResource } from '@flotilla/contract/program-refusals.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReaderResource } from '@flotilla/contract/readers.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ledger } from './ledger.ts';
import { type Puller, startPuller } from './puller.ts';

const WITHIN = { timeoutMs: 90_000 };
const HOUR_MS = 3_600_000;
const LIMIT = 400;

let fleet: Fleet;
let redis: RedisHandles;
const backends: TestBackend[] = [];
const pullers: Puller[] = [];

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 2 }, { PROGRAM_LIMIT_UPDATES: String(LIMIT) });
  redis = await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } });
}, 120_000);
afterAll(async () => {
  for (const one of [...pullers, ...backends]) await one.stop();
  await redis?.close();
  await fleet?.stop();
}, 120_000);

type Answer = { status: number; call?: object };

/** A backend with a book of what it accepted; `answer` may be changed, and null answers never. */
async function receiver(answer: (text: string, url: string) => Answer | null = () => ({ status: 200 })) {
  const taken: string[] = [];
  const backend = await startBackend(({ text, url }, response) => {
    const given = it.answer(text, url);
    if (given === null) return;
    const { status, call } = given;
    if (status === 200) taken.push(textOf(text));
    response.writeHead(status, { 'content-type': 'application/json' }).end(call && JSON.stringify(call));
  });
  backends.push(backend);
  const it = { answer, taken, backend, url: backend.url };
  return it;
}

const textOf = (update: string) => (JSON.parse(update) as { message?: { text?: string } }).message?.text ?? '';
const addProgram = (bot: FleetBot, name: string, fields: object = {}) =>
  fleet.rest<ProgramResource>('/api/programs/add', { bot_id: bot.id, name, ...fields });
const pushTo = (bot: FleetBot, name: string, url: string, fields: object = {}) =>
  addProgram(bot, name, { mode: 'push', backend_url: url, ...fields });
const show = ({ id }: { id: number }) => fleet.rest<ProgramResource>(`/api/programs/show?id=${id}`);
const resume = ({ id }: { id: number }) => fleet.rest('/api/programs/resume-backend', { id });
const readerOf = async ({ id, bot_id }: ProgramResource) =>
  (await fleet.rest<ReaderResource[]>(`/api/programs/readers?bot_id=${bot_id}`)).find((one) => one.program_id === id)!;
const say = async (bot: FleetBot, ...texts: string[]) => {
  for (const text of texts) {
    const date = Math.floor(Date.now() / 1000);
    const raw = `{"message_id":1,"date":${date},"chat":{"id":5,"type":"private"},"text":"${text}"}`;
    await fleet.control.injectUpdate({ bot: bot.platformId, kind: 'message', raw });
  }
};
const audited = async (bot: FleetBot, action: string) =>
  fleet.rest<{ details: string; actor_kind: string }[]>(`/api/adminlog?bot_id=${bot.id}&action=${action}`);

/** These run in parallel, because each waits for a retry or for upkeep; no two of them share a bot or a backend. */
test.concurrent('a program whose backend answered only 410 for 23 hours is paused, the others go on, and so does it, later', async () => {
  const [own, sound, gone] = [await receiver(), await receiver(), await receiver(() => ({ status: 410 }))];
  const bot = await fleet.addBot({ proxy_enabled: true, backend_url: own.url });
  await pushTo(bot, 'sound', sound.url);
  const program = await pushTo(bot, 'gone', gone.url);
  await say(bot, '1', '2');
  const { state } = programKeys(bot.id, program.id);
  await waitFor(async () => (await redis.commands.hget(state, 'goneSince')) !== null, WITHIN);
  expect(await show(program)).toMatchObject({ enabled: true, last_error: expect.stringContaining('410') });
  await redis.commands.hset(state, 'goneSince', Date.now() - 23 * HOUR_MS - 1);
  await waitFor(async () => !(await show(program)).enabled, WITHIN);
  expect(await audited(bot, 'program_disable')).toMatchObject([
    { actor_kind: 'bot', details: expect.stringMatching(/answered nothing but 410 Gone for 23 hours$/) },
  ]);
  expect((await readerOf(program)).state).toBe('paused');
  gone.answer = () => ({ status: 200 });
  await say(bot, '3', '4');
  await waitFor(() => own.taken.length === 4 && sound.taken.length === 4, WITHIN);
  expect([own.taken, sound.taken, gone.taken]).toEqual([['1', '2', '3', '4'], ['1', '2', '3', '4'], []]);
  await fleet.rest('/api/programs/toggle', { id: program.id, enabled: true });
  await resume(program);
  await waitFor(() => gone.taken.length === 4, WITHIN);
  expect(gone.taken).toEqual(['1', '2', '3', '4']);
  expect(await show(program)).toMatchObject({ enabled: true, backend_state: 'ok', last_error: '' });
}, 200_000);

test.concurrent('the webhook of an expired token ends, although its backend has a request open at any time', async () => {
  const bot = await fleet.addBot();
  const program = await addProgram(bot, 'agency');
  let finish = () => {};
  const backend = await startBackend((_request, response) => {
    // Each is answered when the next one has begun; the last one after a while.
    finish();
    const later = setTimeout(() => finish(), 2_000);
    finish = () => {
      clearTimeout(later);
      if (!response.writableEnded) response.writeHead(200).end();
    };
  });
  backends.push(backend);
  const expiresAtMs = Date.now() + 15_000;
  const wanted = { program_id: program.id, name: 'own', expires_at: new Date(expiresAtMs).toISOString() };
  const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', wanted);
  const set = await fetch(`${fleet.url}/tgapi/bot${token}/setWebhook?url=${backend.url}`);
  expect(set.status).toBe(200);
  let chat = 5;
  await waitFor(async () => {
    chat = 11 - chat;
    const raw = `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":${chat},"type":"private"}}`;
    await fleet.control.injectUpdate({ bot: bot.platformId, kind: 'message', raw });
    return (await show(program)).mode === 'pull';
  }, WITHIN);
  expect(Date.now()).toBeGreaterThan(expiresAtMs);
  expect(await audited(bot, 'program_update')).toContainEqual(
    expect.objectContaining({ details: expect.stringContaining('has ended') }),
  );
}, 120_000);

type DeadLetter = { program_id?: number; reader: string; reason_code: string; last_error: string; update_id: number };

describe('a program behind its limit', () => {
  const tooFar = (program: ProgramResource) => `program_id=${program.id}&reason_code=too_far_behind&state=dead`;
  const deadOf = (bot: FleetBot, program: ProgramResource) =>
    fleet.rest<DeadLetter[]>(`/api/deliveries?bot_id=${bot.id}&${tooFar(program)}&limit=200`);
  /** Of all workers, because one of them has parked. */
  const counted = async () => {
    const each = fleet.workers.map((worker) =>
      readMetric(worker, 'flotilla_dead_letters_total', { reader: 'program', reason: 'too_far_behind' }),
    );
    return (await Promise.all(each)).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  };
  const logged = (reason: string) => fleet.workers.some((worker) => worker.output().includes(reason));

  test.concurrent('of updates is parked by upkeep and says so, takes new ones, and its dead letters can be sent again', async () => {
    const chats = 10;
    const [late, rest] = [LIMIT + 1, 20];
    const [ownBook, book] = [ledger(), ledger()];
    const backend = await startBackend((request, response) => {
      if (request.url === '/own') ownBook.record(request.text);
      else if (heals) book.record(request.text);
      response.writeHead(request.url === '/own' || heals ? 200 : 503).end();
    });
    backends.push(backend);
    let heals = false;
    const before = await counted();
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/own` });
    const program = await pushTo(bot, 'late', `${backend.url}/late`);
    const generate = (count: number) => fleet.control.generate({ bots: [bot.platformId], chats, count });
    await generate(LIMIT);
    await waitFor(() => ownBook.count() === LIMIT, WITHIN);
    // Only one is above the limit: of several, some could come after upkeep has parked the program, and would not wait for it.
    await generate(1);
    await waitFor(async () => (await show(program)).parked, { ...WITHIN, message: 'the program to be parked' });
    const reason = `the program was parked: more than ${LIMIT} updates waited for it`;
    // The newer of two: whether the backend failed once more after that depends on the machine.
    expect(await show(program)).toMatchObject({ enabled: true, last_error: expect.stringMatching(/503|was parked/) });
    expect(await readerOf(program)).toMatchObject({ state: 'parked', program_name: 'late' });
    expect(logged(reason)).toBe(true);
    // Heads of lanes that were in flight may stay.
    const least = late - chats;
    await waitFor(async () => (await counted()) - before >= least, WITHIN);
    const letters = await waitFor(async () => {
      const found = await deadOf(bot, program);
      return found.length === 200 ? found : null;
    }, WITHIN);
    for (const letter of letters!) {
      expect(letter).toMatchObject({ reader: 'program', program_id: program.id, last_error: reason });
    }
    await waitFor(() => ownBook.count() === late, WITHIN);

    heals = true;
    await resume(program);
    await generate(rest);
    await waitFor(() => book.count() >= rest, { ...WITHIN, message: 'the new ones' });
    await waitFor(async () => !(await show(program)).parked, WITHIN);
    expect((await show(program)).last_error).toBe('');
    const filter = { bot_id: bot.id, reader: 'program', program_id: program.id, reason_code: 'too_far_behind' };
    await waitFor(async () => {
      await fleet.rest('/api/deliveries/redrive', { filter });
      return book.count() === late + rest;
    }, WITHIN);
    expect(book.duplicates()).toBe(0);
    expect((await deadOf(bot, program)).length).toBe(0);
    expect(ownBook.count()).toBe(late + rest);
  }, 300_000);

  test.concurrent('of hours is parked, though it pulls; it begins again with what comes after its next poll', async () => {
    const own = await receiver();
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: own.url });
    const program = await addProgram(bot, 'asleep');
    await say(bot, '1', '2', '3');
    await waitFor(() => own.taken.length === 3, WITHIN);
    const { consumers } = botKeys(bot.id);
    const name = `program:${program.id}`;
    const [cursor] = (await redis.commands.hget(consumers, name))!.split(' ');
    await redis.commands.hset(consumers, name, `${cursor} ${Date.now() - 24 * HOUR_MS - 1}`);
    await waitFor(async () => (await show(program)).parked, { ...WITHIN, message: 'the program to be parked' });
    const reason = 'the program was parked: for more than 24 hours it was behind or did not poll';
    expect(await show(program)).toMatchObject({ last_error: reason, pending_update_count: 0 });
    expect(await readerOf(program)).toMatchObject({ state: 'parked', last_error: reason });
    await waitFor(async () => (await deadOf(bot, program)).length === 3, WITHIN);
    expect(logged(reason)).toBe(true);
    const poll = async (offset = 0) => {
      const path = `/api/updates/poll?bot_id=${bot.id}&program_id=${program.id}&timeout=0&offset=${offset}`;
      return (await fleet.rest<{ result: { message: { text: string } }[] }>(path)).result;
    };
    expect(await poll()).toEqual([]);
    await say(bot, '4');
    expect((await waitFor(async () => (await poll())[0], WITHIN))?.message.text).toBe('4');
    expect(await show(program)).toMatchObject({ parked: false, last_error: '' });
    await waitFor(() => own.taken.length === 4, WITHIN);
  }, 200_000);

  test.concurrent('that pulls and takes alone: what was given up is sent again to it and to the poller of the bot, once, in order', async () => {
    const taken = LIMIT + 1;
    const [ownBook, givenBook, book] = [ledger(), ledger(), ledger()];
    const bot = await fleet.addBot({ long_poll_enabled: true });
    const program = await addProgram(bot, 'takes', { exclusive: true, filter: { text: '[02468] @' } });
    const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', {
      ...{ program_id: program.id, name: 'own' },
    });
    const isTaken = (update: string) => /[02468] @/.test(update);
    const pull = (of: string, record: (update: string) => void) =>
      pullers.push(startPuller(() => fleet.url, of, record));
    pull(bot.token, (update) => (isTaken(update) ? givenBook : ownBook).record(update));
    // The even half of each is taken: the program is parked by the very last one, so that upkeep can't come between.
    const generate = async () => {
      for (const count of [2 * LIMIT, 1]) await fleet.control.generate({ bots: [bot.platformId], chats: 10, count });
    };
    const dead = async (reader: string, count: number) => {
      const filter = { bot_id: bot.id, reader, reason_code: 'too_far_behind' };
      const act = (more: object) =>
        fleet.rest<{ matched: number; done: number }>('/api/deliveries/redrive', { filter, ...more });
      await waitFor(async () => (await act({ dry_run: true })).matched === count, {
        ...WITHIN,
        message: `those of ${reader}`,
      });
      return { redrive: () => act({}) };
    };
    await generate();
    await waitFor(async () => (await show(program)).parked, { ...WITHIN, message: 'the program to be parked' });
    const ofProgram = await dead('program', taken);
    await generate();
    const ofBot = await dead('push', taken);
    pull(token, book.record);
    expect(await ofProgram.redrive()).toMatchObject({ done: taken });
    expect(await ofBot.redrive()).toMatchObject({ done: taken });
    const books = [book, givenBook];
    await waitFor(() => books.every((one) => one.count() === taken) && ownBook.count() === 2 * LIMIT, WITHIN);
    expect([...books, ownBook].map((one) => [one.disorder(), one.duplicates()])).toEqual(Array(3).fill([[], 0]));
    expect(await show(program)).toMatchObject({ parked: false });
  }, 300_000);
});

test.concurrent('calls in the answers of several programs to one press are each made once, within the limits of their tokens', async () => {
  const person = await fleet.control.createPerson({});
  const bot = await fleet.addBot({});
  const answers = (method: string, text: string) => (update: string) =>
    update.includes('"callback_query"') ? { status: 200, call: { method, chat_id: person.id, text } } : { status: 200 };
  const tokens = new Map<string, { id: number; token: string; program: number; receiver: { backend: TestBackend } }>();
  const limited = { setter: ['setWebhook', 'answerCallbackQuery'], sender: ['setWebhook', 'sendMessage'] };
  const WANTED: [name: string, limits: object][] = [
    ['any', {}],
    ['sender', { methods: limited.sender }],
    ['mute', { methods: limited.setter }],
    ['slow', { rate: { per_minute: 1 } }],
  ];
  for (const [name, limits] of WANTED) {
    const at = await receiver(answers('sendMessage', `by ${name}`));
    const { id: program } = await addProgram(bot, name);
    const made = await fleet.rest<{ id: number; token: string }>('/api/programs/tokens/add', {
      ...{ program_id: program, name: `token of ${name}` },
      ...limits,
    });
    const set = `${fleet.url}/tgapi/bot${made.token}/setWebhook?url=${encodeURIComponent(at.url)}`;
    expect((await fetch(set)).status).toBe(200);
    tokens.set(name, { ...made, program, receiver: at });
  }
  const byRest = await receiver(answers('replaceManagedBotToken', ''));
  const people = await pushTo(bot, 'people', byRest.url);
  await fleet.control.startBot({ person: person.id, bot: bot.platformId });
  const keyboard = encodeURIComponent('{"inline_keyboard":[[{"text":"Press","callback_data":"x"}]]}');
  const asked = `${fleet.url}/tgapi/bot${bot.token}/sendMessage?chat_id=${person.id}&text=ask&reply_markup=${keyboard}`;
  const { result } = (await (await fetch(asked)).json()) as { result: { message_id: number } };
  // Of two presses within a minute the slow one may answer one, of three across its end two.
  const presses = 3;
  for (let press = 0; press < presses; press += 1) {
    await fleet.control.pressButton({ person: person.id, bot: bot.platformId, messageId: result.message_id });
  }
  const outgoing = async (program: string) => {
    const messages = await fleet.rest<MessageResource[]>(
      `/api/messages?bot_id=${bot.id}&chat_id=${person.id}&limit=100`,
    );
    return messages.filter((message) => message.outgoing && message.program === program);
  };
  for (const name of ['any', 'sender']) {
    await waitFor(async () => (await outgoing(name)).length === presses, { ...WITHIN, message: `those of ${name}` });
    expect((await outgoing(name)).map(({ text }) => text)).toEqual(Array(presses).fill(`by ${name}`));
  }
  const refusedTo = (id: number) => fleet.rest<ProgramRefusalResource[]>(`/api/programs/refusals?id=${id}`);
  const refused = (name: string) => refusedTo(tokens.get(name)!.program);
  const within = ' (a call in the answer to a delivery)';
  for (const [name, reason, words] of [
    ['mute', 'method', 'Forbidden: this token may not call sendMessage'],
    ['slow', 'rate', 'Too Many Requests'],
  ] as const) {
    await waitFor(async () => (await refused(name)).length > 0, { ...WITHIN, message: `what ${name} was refused` });
    const { id } = tokens.get(name)!;
    const token = { token_id: id, token_name: `token of ${name}` };
    expect(await refused(name)).toMatchObject([
      { ...token, reason, method: 'sendmessage', description: words + within },
    ]);
  }
  await waitFor(async () => (await refusedTo(people.id)).length > 0, WITHIN);
  const [ofPeople] = await refusedTo(people.id);
  expect(ofPeople).toMatchObject({ reason: 'method', method: 'replacemanagedbottoken' });
  expect(ofPeople).not.toHaveProperty('token_id');
  expect([await refused('any'), await refused('sender'), await outgoing('mute')]).toEqual([[], [], []]);
  const pressed = () =>
    [...tokens.values()].map(
      ({ receiver }) => receiver.backend.requests.filter(({ text }) => text.includes('"callback_query"')).length,
    );
  await waitFor(() => pressed().every((count) => count === presses), WITHIN);
  const sent = 1 + 2 * presses + (await outgoing('slow')).length;
  expect((await outgoing('slow')).length).toBeLessThan(presses);
  const { byMethod } = await fleet.control.readCalls({ bot: bot.platformId });
  expect([byMethod.sendmessage, byMethod.replacemanagedbottoken]).toEqual([sent, undefined]);
}, 200_000);

test.concurrent.each([false, true])(
  'a webhook gets of the kinds that it asks for those that its program may see (exclusive: %s)',
  async (exclusive) => {
    const [bot, at] = [await fleet.addBot(), await receiver()];
    const program = await addProgram(bot, 'agency', { exclusive, kinds: ['message', 'channel_post'] });
    const wanted = { program_id: program.id, name: 'own' };
    const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', wanted);
    const asked = encodeURIComponent('["message","edited_message"]');
    const set = await fetch(`${fleet.url}/tgapi/bot${token}/setWebhook?url=${at.url}&allowed_updates=${asked}`);
    expect(set.status).toBe(200);
    for (const kind of ['edited_message', 'channel_post', 'message'] as const) {
      const raw = `{"message_id":1,"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5},"text":"${kind}"}`;
      await fleet.control.injectUpdate({ bot: bot.platformId, kind, raw });
    }
    // All are in one lane, so the others would have come before it.
    await waitFor(() => at.taken.includes('message'), WITHIN);
    expect(at.backend.requests.map(({ text }) => text.match(/"text":"(\w+)"/)?.[1])).toEqual(['message']);
    expect(await show(program)).toMatchObject({ kinds: program.kinds, webhook_kinds: ['message', 'edited_message'] });
  },
  120_000,
);

test.concurrent('a program gets at most max_connections updates at once, and as many as that', async () => {
  const [most, updates] = [3, 21];
  const [bot, taken] = [await fleet.addBot(), ledger()];
  let [open, greatest] = [0, 0];
  const slow = await startBackend(async ({ text }, response) => {
    taken.record(text);
    open += 1;
    greatest = Math.max(greatest, open);
    // A request beyond the limit would come meanwhile: each update has a chat of its own.
    await new Promise((resolve) => setTimeout(resolve, 300));
    open -= 1;
    response.writeHead(200).end();
  });
  backends.push(slow);
  const program = await addProgram(bot, 'slow');
  const wanted = { program_id: program.id, name: 'own' };
  const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', wanted);
  const set = await fetch(`${fleet.url}/tgapi/bot${token}/setWebhook?url=${slow.url}&max_connections=${most}`);
  expect(set.status).toBe(200);
  await fleet.control.generate({ bots: [bot.platformId], chats: updates, count: updates });
  await waitFor(() => taken.count() === updates, WITHIN);
  expect(greatest).toBe(most);
}, 120_000);

test('of ten programs on one host, one that hangs with all its connections holds up none of the others', async () => {
  const chats = 120;
  const books = new Map(Array.from({ length: 10 }, (_, at) => [`/p${at}`, ledger()]));
  const host = await startBackend(({ url, text }, response) => {
    if (url === '/p0') return;
    books.get(url)!.record(text);
    response.end();
  });
  backends.push(host);
  const bot = await fleet.addBot({});
  const programs = new Map<string, ProgramResource>();
  for (const path of books.keys()) {
    programs.set(path, await pushTo(bot, path, `${host.url}${path}`, { max_connections: 100 }));
  }
  await fleet.control.generate({ bots: [bot.platformId], chats, count: chats });
  const hanging = () => host.requests.filter(({ url }) => url === '/p0').length;
  await waitFor(() => hanging() >= 100, { ...WITHIN, message: 'a hundred requests that hang' });
  await fleet.control.generate({ bots: [bot.platformId], chats, count: chats });
  const sound = [...books].filter(([path]) => path !== '/p0').map(([, book]) => book);
  await waitFor(() => sound.every((book) => book.count() === 2 * chats), {
    ...WITHIN,
    message: 'all at nine programs',
  });
  // No request that hangs had ended by then.
  const attempts = `/api/deliveries/attempts?bot_id=${bot.id}&program_id=${programs.get('/p0')!.id}`;
  expect(await fleet.rest(attempts)).toEqual([]);
  expect(sound.map((book) => book.faults(1))).toEqual(Array(9).fill([]));
}, 200_000);
