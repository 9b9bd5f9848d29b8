import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { withoutReserve } from '@flotilla/testing/without-reserve.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

const api = testApi();
/** Stands in for the worker, which accepts updates. */
let worker: Context;
beforeAll(async () => {
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
});

const update = (id: number, kind = 'message') =>
  `{"update_id":${id},"${kind}":{"message_id":${id},"date":${Math.floor(Date.now() / 1000)},"chat":{"id":5,"type":"private"}}}`;

async function accept(bot: BotResource, ...raws: string[]): Promise<void> {
  await worker.directory.refresh();
  const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join(',')}]}`);
  const accepted = await acceptUpdates(withoutReserve(worker), worker.directory.byId(bot.id)!, sliced!.updates);
  expect(accepted).toMatchObject({ outcome: 'accepted', appended: raws.length });
}

const add = async (bot: BotResource, fields: object): Promise<ProgramResource> => {
  const added = await api.admin('POST', '/api/programs/add', { body: { bot_id: bot.id, ...fields } });
  expect({ status: added.status, text: added.text }).toEqual({ status: 200, text: expect.any(String) });
  return added.json as ProgramResource;
};
const show = async ({ id }: ProgramResource) =>
  (await api.admin('GET', '/api/programs/show', { query: { id } })).json as ProgramResource;
const poll = async ({ id, bot_id }: ProgramResource, query: Record<string, string | number> = {}) => {
  const answer = await api.admin('GET', '/api/updates/poll', {
    query: { bot_id, program_id: id, timeout: 0, ...query },
  });
  return (answer.json as { result: { update_id: number }[] }).result.map(({ update_id }) => update_id);
};

describe('programs of one bot', () => {
  test('push if they are added with a backend, unless they are to pull', async () => {
    const bot = await api.addBot();
    const backend_url = 'http://127.0.0.1:9/';
    expect(await add(bot, { name: 'gets', backend_url })).toMatchObject({ mode: 'push' });
    expect(await add(bot, { name: 'asks', backend_url, mode: 'pull' })).toMatchObject({ mode: 'pull' });
    expect(await add(bot, { name: 'plain' })).toMatchObject({ mode: 'pull' });
  });

  test('each get every update of their kinds, at their own pace, though the bot itself is not polled', async () => {
    const bot = await api.addBot();
    const [all, polls] = [await add(bot, { name: 'all' }), await add(bot, { name: 'polls', kinds: ['poll'] })];
    await accept(bot, update(1), update(2, 'poll'), update(3), update(4, 'chat_member'));
    expect(await poll(all)).toEqual([1, 2, 3]);
    expect(await poll(polls)).toEqual([2]);
    expect(await poll(all, { offset: 3 })).toEqual([3]);
    expect(await poll(all)).toEqual([3]);
    expect(await poll(polls)).toEqual([2]);
    expect(await poll(polls, { offset: 3 })).toEqual([]);
    expect(await show(polls)).toMatchObject({ pending_update_count: 0, parked: false });
    expect(await show(all)).toMatchObject({ pending_update_count: 1 });
  });

  test('begin with what comes after they were added, and are among the readers of the bot', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    await accept(bot, update(1));
    const program = await add(bot, { name: 'late' });
    await accept(bot, update(2));
    expect(await poll(program)).toHaveLength(1);
    const readers = (await api.admin('GET', '/api/bots/readers', { query: { bot_id: bot.id } })).json;
    expect(readers).toContainEqual(
      expect.objectContaining({ reader: `program:${program.id}`, state: 'ok', behind: 1 }),
    );
    const own = (await api.admin('GET', '/api/programs/readers', { query: { bot_id: bot.id } })).json;
    expect(own).toMatchObject([{ program_id: program.id, program_name: 'late', state: 'ok', behind: 1 }]);
  });

  test('that are paused get nothing, and go on at their cursor', async () => {
    const bot = await api.addBot();
    const program = await add(bot, { name: 'paused' });
    const toggle = (enabled: boolean) =>
      api.admin('POST', '/api/programs/toggle', { body: { id: program.id, enabled } });
    expect((await toggle(false)).json).toMatchObject({ enabled: false });
    await accept(bot, update(1));
    expect(await poll(program)).toEqual([]);
    expect((await toggle(true)).json).toMatchObject({ enabled: true });
    expect(await poll(program)).toEqual([1]);
  });

  test('are paused and resumed by an update, too, with the entry of a pause in the audit log', async () => {
    const program = await add(await api.addBot(), { name: 'pausable' });
    const change = (fields: object) =>
      api.admin('POST', '/api/programs/update', { body: { id: program.id, ...fields } });
    expect((await change({ enabled: false })).json).toMatchObject({ enabled: false });
    expect((await change({ name: 'still paused' })).json).toMatchObject({ enabled: false });
    expect((await change({ name: 'running', enabled: true })).json).toMatchObject({ name: 'running', enabled: true });
    const entries = await api.admin('GET', '/api/adminlog', { query: { bot_id: program.bot_id, limit: 4 } });
    expect((entries.json as { action: string }[]).map(({ action }) => action)).toEqual([
      'program_enable',
      'program_update',
      'program_disable',
      'program_add',
    ]);
  });

  test('get kinds that are added while a poll of theirs waits', async () => {
    const bot = await api.addBot();
    const program = await add(bot, { name: 'grows', kinds: ['poll'] });
    const metrics = restClient(`http://127.0.0.1:${api.metricsPort}`);
    const waiting = async () => /flotilla_waiting_polls (\d+)/.exec((await metrics('GET', '/metrics')).text)?.[1];
    const before = Number(await waiting());
    const polled = poll(program, { timeout: 20 });
    await waitFor(async () => Number(await waiting()) === before + 1);
    const { status } = await api.admin('POST', '/api/programs/update', {
      body: { id: program.id, kinds: ['poll', 'message'] },
    });
    expect(status).toBe(200);
    await accept(bot, update(1));
    expect(await polled).toEqual([1]);
  });

  test('have names of their own, of which the conflict is named; another bot may use the same', async () => {
    const [bot, other] = [await api.addBot(), await api.addBot()];
    const [first, second] = [await add(bot, { name: 'one' }), await add(bot, { name: 'two' })];
    await add(other, { name: 'one' });
    const again = { bot_id: bot.id, name: 'one' };
    expect(await api.admin('POST', '/api/programs/add', { body: again })).toMatchObject({ status: 409 });
    const renamed = { id: second.id, name: first.name };
    expect(await api.admin('POST', '/api/programs/update', { body: renamed })).toMatchObject({ status: 409 });
  });

  test('are listed page by page, and those of a deleted program or bot are gone', async () => {
    const bot = await api.addBot();
    const programs = [await add(bot, { name: 'a' }), await add(bot, { name: 'b' }), await add(bot, { name: 'c' })];
    const list = (query: object) => api.admin('GET', '/api/programs', { query: { bot_id: bot.id, ...query } });
    const page = await list({ limit: 2 });
    expect(page.headers.get('x-total-count')).toBe('3');
    expect((page.json as ProgramResource[]).map(({ name }) => name)).toEqual(['a', 'b']);
    const next = new URL(/<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')![1]!, api.url);
    expect((await api.admin('GET', next.pathname + next.search)).json).toMatchObject([{ name: 'c' }]);
    await api.admin('POST', '/api/programs/delete', { body: { id: programs[0]!.id } });
    expect((await list({})).headers.get('x-total-count')).toBe('2');
    const polled = { bot_id: bot.id, program_id: programs[0]!.id, timeout: 0 };
    expect(await api.admin('GET', '/api/updates/poll', { query: polled })).toMatchObject({ status: 404 });
    await api.admin('POST', '/api/bots/delete', { body: { id: bot.id } });
    expect(await api.admin('GET', '/api/programs/show', { query: { id: programs[1]!.id } })).toMatchObject({
      status: 404,
    });
  });

  test('are nothing to users who do not have the bot', async () => {
    const [bot, other] = [await api.addBot(), await api.addBot()];
    const program = await add(bot, { name: 'private' });
    const { key } = await insertAccount(api.database.db, { username: 'elsewhere', bots: [other.id] });
    const elsewhere = restClient(api.url, key);
    const calls = [
      elsewhere('GET', '/api/programs/show', { query: { id: program.id } }),
      elsewhere('POST', '/api/programs/update', { body: { id: program.id, name: 'mine' } }),
      elsewhere('POST', '/api/programs/toggle', { body: { id: program.id, enabled: false } }),
      elsewhere('POST', '/api/programs/delete', { body: { id: program.id } }),
      elsewhere('GET', '/api/updates/poll', { query: { bot_id: bot.id, program_id: program.id, timeout: 0 } }),
    ];
    for (const { status } of await Promise.all(calls)) expect(status).toBe(403);
    const throughOther = { bot_id: other.id, program_id: program.id, timeout: 0 };
    expect(await elsewhere('GET', '/api/updates/poll', { query: throughOther })).toMatchObject({ status: 404 });
    expect(await show(program)).toMatchObject({ name: 'private', enabled: true });
  });
});
