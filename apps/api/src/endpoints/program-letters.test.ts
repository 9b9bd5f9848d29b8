import type { BotResource } from '@flotilla/contract/bots.ts';
import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { parkPrograms } from '@flotilla/domain/delivery/programs/park-programs.ts';
import { readRecord } from '@flotilla/domain/records/history/stream/history-codec.ts';
import { writeHistory } from '@flotilla/domain/records/history/write-history.ts';
import { shardKeys, shardOf } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { withoutReserve } from '@flotilla/testing/without-reserve.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

const NOBODY = 'http://127.0.0.1:9/';

const api = testApi();
/** Stands in for the worker: it accepts updates, parks programs and stores dead letters. */
let worker: Context;
beforeAll(async () => {
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
});

const post = async <Answer>(path: string, body: object): Promise<Answer> => {
  const answer = await api.admin('POST', `/api/${path}`, { body });
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer.json as Answer;
};
const add = (bot: BotResource, fields: object) =>
  post<ProgramResource>('programs/add', { bot_id: bot.id, name: 'it', ...fields });
const redrive = (filter: object) =>
  post<{ done: number; refusals: object[] }>('deliveries/redrive', { filter: { state: 'dead', ...filter } });

type Got = [id: number, text: string];
/** The updates of a reader: a program, or the default poller of the bot. It acknowledges all of them. */
async function poll(bot: BotResource, program?: ProgramResource): Promise<Got[]> {
  const query = { bot_id: bot.id, timeout: 0, ...(program && { program_id: program.id }) };
  const ask = async (offset: number) =>
    (await api.admin('GET', '/api/updates/poll', { query: { ...query, offset } })).json as {
      result: { update_id: number; message: { text: string } }[];
    };
  const { result } = await ask(0);
  const last = result.at(-1)?.update_id;
  if (last !== undefined) await ask(last + 1);
  return result.map(({ update_id: id, message }) => [id, message.text]);
}

async function accept(bot: BotResource, texts: Record<number, string>): Promise<void> {
  await worker.directory.refresh();
  const date = Math.floor(Date.now() / 1000);
  const raws = Object.entries(texts).map(([id, text]) =>
    JSON.stringify({ update_id: Number(id), message: { message_id: 1, date, chat: { id: 5, type: 'private' }, text } }),
  );
  const { updates } = sliceUpdates(`{"ok":true,"result":[${raws.join()}]}`)!;
  const known = worker.directory.byId(bot.id)!;
  expect(await acceptUpdates(withoutReserve(worker), known, updates)).toMatchObject({ appended: raws.length });
}

/** Parks every program for which something waits. */
const park = () => parkPrograms(worker, 0, new AbortController().signal);

/** Stores what is in the history stream of the bot, as the history writer does. */
async function store(bot: BotResource): Promise<void> {
  const shard = shardOf(bot.id);
  const records = await worker.redis.commands.xrange(shardKeys(shard).history, '-', '+');
  await writeHistory(
    worker,
    records.map(([id, record]) => readRecord(shard, id, record)),
  );
  await worker.redis.commands.del(shardKeys(shard).history);
}

async function letters(bot: BotResource): Promise<[id: number, reader: string, code: string, error: string][]> {
  const answer = await api.admin('GET', '/api/deliveries', { query: { bot_id: bot.id, state: 'dead' } });
  return (answer.json as DeliveryResource[])
    .map(({ update_id: id, reader, reason_code: code, last_error: error }): [number, string, string, string] => [
      ...([id, reader, code, error] as const),
    ])
    .sort(([one], [other]) => one - other);
}

describe('a deleted program', () => {
  const giveUp = async (bot: BotResource, { id }: ProgramResource, exclusive: boolean[]) => {
    const row = { bot_id: bot.id, reader: `program:${id}`, payload: '{}', reason: '500', reason_code: 'refused' };
    await api.database.db
      .insertInto('dead_letters')
      .values(exclusive.map((one, at) => ({ ...row, update_id: at + 1, attempts: 9, exclusive: one })))
      .execute();
  };

  test('leaves to the bot what it took alone and gave up; others have the rest', async () => {
    const bot = await api.addBot({ proxy_enabled: true, backend_url: NOBODY });
    const program = await add(bot, { mode: 'push', backend_url: NOBODY });
    await giveUp(bot, program, [true, false, true]);
    await post('programs/delete', { id: program.id });
    const why = `program ${program.id}, which took it alone, was deleted (500)`;
    expect(await letters(bot)).toEqual([
      [1, 'push', 'backend_removed', why],
      [3, 'push', 'backend_removed', why],
    ]);
  });

  test('leaves them when they are stored after it, too', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const [taker, other] = [
      await add(bot, { exclusive: true, filter: { text: 'order' } }),
      await add(bot, { name: 'other' }),
    ];
    await accept(bot, { 1: 'order 1', 2: 'hello' });
    await park();
    for (const { id } of [taker, other]) await post('programs/delete', { id });
    await store(bot);
    expect((await letters(bot)).map(([id, reader, code]) => [id, reader, code])).toEqual([
      [1, 'push', 'backend_removed'],
    ]);
    expect(await poll(bot)).toEqual([[2, 'hello']]);
    expect(await redrive({ bot_id: bot.id })).toMatchObject({ done: 1, refusals: [] });
    expect(await poll(bot)).toEqual([[3, 'order 1']]);
  });
});

describe('a redrive to who polls', () => {
  test('gives a program that was parked what waited for it: each once, in order, and nobody else', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const [program, other] = [await add(bot, { exclusive: true }), await add(bot, { name: 'other' })];
    await accept(bot, { 1: 'a', 2: 'b', 3: 'c' });
    await park();
    await store(bot);
    expect((await letters(bot)).map(([id, reader]) => [id, reader])).toEqual([1, 2, 3].map((id) => [id, 'program']));
    const ofProgram = { bot_id: bot.id, program_id: program.id };
    expect(await redrive(ofProgram)).toMatchObject({ done: 3, refusals: [] });
    expect(await redrive(ofProgram)).toMatchObject({ done: 0 });
    await accept(bot, { 4: 'd' });
    expect(await poll(bot, program)).toEqual([
      [4, 'a'],
      [5, 'b'],
      [6, 'c'],
      [7, 'd'],
    ]);
    expect([await poll(bot, program), await poll(bot, other), await poll(bot)]).toEqual([[], [], []]);
    expect(await letters(bot)).toEqual([]);
  });

  test('gives the default poller what a parked program would have taken', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const [program, other] = [await add(bot, { exclusive: true }), await add(bot, { name: 'other' })];
    await accept(bot, { 1: 'a' });
    await park();
    await accept(bot, { 2: 'b', 3: 'c' });
    await store(bot);
    expect((await letters(bot)).map(([id, reader]) => [id, reader])).toEqual([
      [1, 'program'],
      [2, 'push'],
      [3, 'push'],
    ]);
    expect(await redrive({ bot_id: bot.id, reader: 'push' })).toMatchObject({ done: 2, refusals: [] });
    expect(await poll(bot)).toEqual([
      [4, 'b'],
      [5, 'c'],
    ]);
    expect(await poll(bot, other)).toEqual([]);
    expect(await poll(bot, program)).toEqual([]);
  });

  test('survives the deletion of the program once more, as what it took', async () => {
    const bot = await api.addBot();
    const program = await add(bot, { exclusive: true });
    await accept(bot, { 1: 'a' });
    await park();
    await store(bot);
    await redrive({ bot_id: bot.id });
    await post('programs/delete', { id: program.id });
    await store(bot);
    expect((await letters(bot)).map(([id, reader]) => [id, reader])).toEqual([[2, 'push']]);
    const refusal = { bot_id: bot.id, reader: 'push', count: 1, code: 'no_backend' };
    expect(await redrive({ bot_id: bot.id })).toMatchObject({ done: 0, refusals: [refusal] });
  });
});
