import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { RestAnswer } from '@flotilla/testing/rest-client.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const HOOK = 'https://93.184.216.34/hook';
const [MINE, OTHER] = [-1001, -1002];

const api = testApi();
let bot: BotResource;
let programs = 0;
beforeAll(async () => {
  bot = await api.addBot();
});

const post = (path: string, body: object) => api.admin('POST', `/api/programs/${path}`, { body });
async function newProgram(fields: object = {}): Promise<ProgramResource> {
  programs += 1;
  const added = await post('add', { bot_id: bot.id, name: `program ${programs}`, ...fields });
  expect({ status: added.status, text: added.text }).toMatchObject({ status: 200 });
  return added.json as ProgramResource;
}
const change = ({ id }: ProgramResource, fields: object) => post('update', { id, ...fields });
const addToken = ({ id }: ProgramResource, limits: object = {}, name = 'a token') =>
  post('tokens/add', { program_id: id, name, ...limits });

async function expectToken(program: ProgramResource, limits: object = {}, name = 'a token') {
  const made = await addToken(program, limits, name);
  expect({ status: made.status, text: made.text }).toMatchObject({ status: 200 });
  return made.json as { id: number; token: string };
}
function expectRefused(answer: RestAnswer, path: string, reason: RegExp): void {
  expect(answer).toMatchObject({ status: 400, json: { details: [{ path, reason: expect.stringMatching(reason) }] } });
}

describe('the tokens of a program that poll', () => {
  test('all have the same chats, because what one of them reads is confirmed for all', async () => {
    const program = await newProgram();
    await expectToken(program, { chats: [MINE, 7] }, 'agency');
    for (const limits of [{}, { chats: [MINE] }, { chats: [OTHER], methods: ['read'] }]) {
      expectRefused(await addToken(program, limits), 'chats', /those of the token "agency".*leave getUpdates/);
    }
    await expectToken(program, { chats: [7, MINE] });
    await expectToken(program, { chats: [OTHER], methods: ['send'] });
    const whole = await newProgram();
    await expectToken(whole);
    expectRefused(await addToken(whole, { chats: [MINE] }), 'chats', /those of the token "a token"/);
  });

  test('do not count once they have expired, or while the program has a backend', async () => {
    const program = await newProgram();
    await expectToken(program, { chats: [MINE], expires_at: new Date(Date.now() + 1000).toISOString() });
    await waitFor(async () => (await addToken(program, { chats: [OTHER] })).status === 200);
    const pushing = await newProgram({ mode: 'push', backend_url: HOOK });
    const mine = await expectToken(pushing, { chats: [MINE] }, 'mine');
    const all = await expectToken(pushing, {}, 'all');
    expectRefused(await change(pushing, { mode: 'pull' }), 'mode', /"mine" and "all" would poll different chats/);
    const deleted = await fetch(`${api.url}/tgapi/bot${all.token}/deleteWebhook`);
    expect([deleted.status, await deleted.json()]).toMatchObject([
      400,
      { description: expect.stringMatching(/^Bad Request: mode cannot be pull/) },
    ]);
    await post('tokens/delete', { id: mine.id });
    expect((await change(pushing, { mode: 'pull' })).status).toBe(200);
  });
});

describe('the topics of tokens that poll', () => {
  const [HULL, KEEL] = [120, 121];

  test('are the same for all of a program, and need exactly one chat', async () => {
    const program = await newProgram();
    await expectToken(program, { chats: [MINE], threads: [HULL, KEEL] }, 'agency');
    for (const threads of [[HULL], undefined]) {
      const limits = { chats: [MINE], ...(threads && { threads }) };
      expectRefused(await addToken(program, limits), 'threads', /those of the token "agency".*also in topics/);
    }
    await expectToken(program, { chats: [MINE], threads: [KEEL, HULL] });
    await expectToken(program, { chats: [MINE], threads: [HULL], methods: ['send'] });
    for (const chats of [undefined, [MINE, OTHER]]) {
      expectRefused(
        await addToken(program, { ...(chats && { chats }), threads: [HULL] }),
        'threads',
        /exactly one chat/,
      );
    }
    expectRefused(await addToken(program, { chats: [MINE], threads: [] }), 'threads', /must name a topic/);
    for (const threads of [[-1], [2 ** 31]]) {
      expect((await addToken(program, { chats: [MINE], threads })).status).toBe(400);
    }
  });

  test('are those of which the program takes updates alone', async () => {
    const blind = /every topic of which the program takes updates alone/;
    const program = await newProgram({ exclusive: true, filter: { chat_ids: [MINE], thread_ids: [HULL] } });
    expectRefused(await addToken(program, { chats: [MINE], threads: [KEEL] }), 'threads', blind);
    await expectToken(program, { chats: [MINE], threads: [HULL] }, 'hull');
    for (const filter of [{ chat_ids: [MINE] }, { chat_ids: [MINE], thread_ids: [HULL, KEEL] }]) {
      expectRefused(await change(program, { filter }), 'filter.thread_ids', /its token "hull" confirms/);
    }
  });
});

describe('a program that takes updates alone', () => {
  const filter = { chat_ids: [MINE] };

  test('has no token that would confirm what it does not see', async () => {
    const program = await newProgram({ exclusive: true });
    const blind = /every chat of which the program takes updates alone/;
    expectRefused(await addToken(program, { chats: [MINE] }), 'chats', blind);
    await expectToken(program, { chats: [MINE], methods: ['send'] });
    const limited = await newProgram({ exclusive: true, filter: { chat_ids: [MINE, OTHER] } });
    expectRefused(await addToken(limited, { chats: [MINE] }), 'chats', blind);
    await expectToken(limited, { chats: [OTHER, MINE, 7] });
    await expectToken(await newProgram({ exclusive: true }));
  });

  test('is not made of one with such a token, and its filter is not widened', async () => {
    const program = await newProgram();
    await expectToken(program, { chats: [MINE] }, 'agency');
    const blind = /its token "agency" confirms without seeing them/;
    expectRefused(await change(program, { exclusive: true }), 'exclusive', blind);
    expect((await change(program, { filter: { chat_ids: [OTHER] } })).status).toBe(200);
    expectRefused(await change(program, { exclusive: true }), 'exclusive', blind);
    expect((await change(program, { exclusive: true, filter })).status).toBe(200);
    for (const wider of [{}, { chat_ids: [MINE, OTHER] }, { keyword: 'a' }]) {
      expectRefused(await change(program, { filter: wider }), 'filter.chat_ids', blind);
    }
    expect((await change(program, { filter: { ...filter, keyword: 'a' } })).status).toBe(200);
    expect((await change(program, { exclusive: false, filter: {} })).status).toBe(200);
    expect((await change(program, { mode: 'push', backend_url: HOOK, exclusive: true })).status).toBe(200);
    expectRefused(await change(program, { mode: 'pull' }), 'mode', blind);
  });

  test('and was such a program before this was refused can still be changed otherwise', async () => {
    const program = await newProgram();
    await expectToken(program, { chats: [MINE] });
    const { db } = api.database;
    await db.updateTable('programs').set({ exclusive: true }).where('id', '=', program.id).execute();
    expect((await change(program, { exclusive: true, filter: {}, name: `another ${program.name}` })).status).toBe(200);
  });
});
