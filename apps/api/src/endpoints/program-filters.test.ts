import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
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

type Sent = { text?: string; chat?: number; kind?: string; album?: string; data?: string };

const update = (id: number, { text, chat = 5, kind = 'message', album, data }: Sent = {}) => {
  const message = { message_id: id, date: Math.floor(Date.now() / 1000), chat: { id: chat, type: 'private' } };
  const payload =
    kind === 'callback_query'
      ? { id: String(id), from: { id: 7 }, message, data }
      : { ...message, from: { id: 7 }, ...(album === undefined ? { text } : { caption: text, media_group_id: album }) };
  return JSON.stringify({ update_id: id, [kind]: payload });
};

/** The bot as the worker knows it now. */
async function knownBot({ id }: BotResource): Promise<Bot> {
  await worker.directory.refresh();
  return worker.directory.byId(id)!;
}

async function acceptWith(known: Bot, ...raws: string[]): Promise<void> {
  const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join(',')}]}`);
  const accepted = await acceptUpdates(withoutReserve(worker), known, sliced!.updates);
  expect(accepted).toMatchObject({ outcome: 'accepted', appended: raws.length });
}

async function accept(bot: BotResource, ...raws: string[]): Promise<void> {
  await acceptWith(await knownBot(bot), ...raws);
}

type Fields = { name?: string; kinds?: string[]; filter?: ProgramFilter; exclusive?: boolean; order?: number };
let programsMade = 0;
const add = async (bot: BotResource, fields: Fields = {}): Promise<ProgramResource> => {
  programsMade += 1;
  const body = { bot_id: bot.id, name: `program ${programsMade}`, ...fields };
  const added = await api.admin('POST', '/api/programs/add', { body });
  expect({ status: added.status, text: added.text }).toEqual({ status: 200, text: expect.any(String) });
  return added.json as ProgramResource;
};
const change = (path: string, body: object) => api.admin('POST', `/api/programs/${path}`, { body });

type Reader = { bot: BotResource; program?: ProgramResource; consumer?: string };
const query = ({ bot, program, consumer }: Reader) => ({
  bot_id: bot.id,
  timeout: 0,
  ...(program === undefined ? {} : { program_id: program.id }),
  ...(consumer === undefined ? {} : { consumer }),
});
const poll = async (reader: Reader, more: Record<string, string | number> = {}): Promise<number[]> => {
  const answer = await api.admin('GET', '/api/updates/poll', { query: { ...query(reader), ...more } });
  return (answer.json as { result: { update_id: number }[] }).result.map(({ update_id }) => update_id);
};
const show = async (program: ProgramResource) =>
  (await api.admin('GET', '/api/programs/show', { query: { id: program.id } })).json as ProgramResource;

describe('a program with a filter', () => {
  test('gets what it selects, and passes the rest, also in one long poll', async () => {
    const bot = await api.addBot();
    const program = await add(bot, { filter: { keyword: 'tide', chat_ids: [5, 6] } });
    await accept(bot, update(1, { text: 'sun' }), update(2, { text: 'Tide' }), update(3, { text: 'tide', chat: 7 }));
    expect(await poll({ bot, program })).toEqual([2]);
    expect(await poll({ bot, program }, { offset: 3 })).toEqual([]);
    expect(await show(program)).toMatchObject({ pending_update_count: 0 });
    const waiting = poll({ bot, program }, { timeout: 30 });
    for (let id = 4; id < 9; id += 1) await accept(bot, update(id, { text: 'sun' }));
    await accept(bot, update(9, { text: 'the tide' }));
    expect(await waiting).toEqual([9]);
  });

  test('counts only what it selects for a negative offset', async () => {
    const bot = await api.addBot();
    const program = await add(bot, { filter: { chat_ids: [6] } });
    await accept(bot, update(1, { chat: 6 }), update(2, { chat: 6 }), update(3), update(4));
    expect(await poll({ bot, program }, { offset: -1 })).toEqual([2]);
  });

  test('applies a new filter to what is accepted afterwards', async () => {
    const bot = await api.addBot();
    const program = await add(bot, { filter: { chat_ids: [6] } });
    await accept(bot, update(1), update(2, { chat: 6 }));
    expect((await change('update', { id: program.id, filter: {} })).json).toMatchObject({ filter: {} });
    await accept(bot, update(3));
    expect(await poll({ bot, program })).toEqual([2, 3]);
  });

  const manyIds = Array.from({ length: 100 }, (_, at) => -1_001_000_000_000_000 - at);
  test.each<[string, object, string]>([
    ['filter.text', { text: '(a' }, 'is not a regular expression that can be run here'],
    ['filter.text', { text: '(x?y){400}' }, 'is too large a regular expression'],
    ['filter.chat_ids', { chat_ids: [] }, 'must not be empty'],
    ['filter.commands', { commands: ['/two words'] }, 'must be a command such as start'],
    ['filter', { words: ['a'] }, 'has no words'],
    ['filter', { chat_ids: manyIds, user_ids: manyIds, keyword: 'x'.repeat(500) }, 'must have at most 4096 characters'],
  ])('is refused with the fault at %s: %p', async (path, filter, reason) => {
    const bot = await api.addBot();
    const answer = await change('add', { bot_id: bot.id, name: 'refused', filter });
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.text).toContain(reason);
    expect(answer.text).toContain(path);
    const program = await add(bot);
    expect(await change('update', { id: program.id, filter })).toMatchObject({ status: 400 });
  });

  test('is refused when the expressions of all programs of the bot are too large together', async () => {
    const bot = await api.addBot();
    const filter = { text: 'x'.repeat(450) };
    const programs = [await add(bot, { filter }), await add(bot, { filter }), await add(bot)];
    const refused = await change('update', { id: programs[2]!.id, filter });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.text).toContain('beside the regular expressions of the other programs');
    expect(await change('update', { id: programs[1]!.id, filter })).toMatchObject({ status: 200 });
  });
});

describe('an exclusive program', () => {
  test('takes what it selects from every other reader', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const [other, test] = [await add(bot), await add(bot, { exclusive: true, filter: { commands: ['test'] } })];
    const readers: Reader[] = [{ bot }, { bot, consumer: 'audit' }, { bot, program: other }];
    await accept(bot, update(1), update(2, { text: '/test 1' }), update(3), update(4, { text: '/test 2' }));
    for (const reader of readers) expect(await poll(reader)).toEqual([1, 3]);
    expect(await poll({ bot, program: test })).toEqual([2, 4]);
    for (const reader of [...readers, { bot, program: test }]) await poll(reader, { offset: 5 });
    const shown = (await api.admin('GET', '/api/bots/readers', { query: { bot_id: bot.id } })).json;
    for (const { behind } of shown as { behind: number }[]) expect(behind).toBe(0);
  });

  test('that takes everything keeps no other reader behind', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const program = await add(bot, { exclusive: true });
    await accept(bot, update(1), update(2));
    expect(await show(program)).toMatchObject({ pending_update_count: 2 });
    expect([await poll({ bot }), await poll({ bot, consumer: 'audit' })]).toEqual([[], []]);
    const shown = (await api.admin('GET', '/api/bots/readers', { query: { bot_id: bot.id } })).json;
    expect(shown).toContainEqual(expect.objectContaining({ reader: 'pull', behind: 0, cursor: 2 }));
    expect(shown).toContainEqual(expect.objectContaining({ reader: 'consumer:audit', behind: 0 }));
    expect(shown).toContainEqual(expect.objectContaining({ reader: `program:${program.id}`, behind: 2 }));
    expect(await poll({ bot, program })).toEqual([1, 2]);
  });

  test('keeps what is its while it is paused, and after it wants other kinds', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const program = await add(bot, { exclusive: true, filter: { chat_ids: [6] } });
    await change('toggle', { id: program.id, enabled: false });
    await accept(bot, update(1, { chat: 6 }), update(2));
    expect([await poll({ bot, program }), await poll({ bot })]).toEqual([[], [2]]);
    await change('toggle', { id: program.id, enabled: true });
    await change('update', { id: program.id, kinds: ['poll'], exclusive: false, filter: { chat_ids: [9] } });
    await accept(bot, update(3, { chat: 6 }));
    expect([await poll({ bot, program }), await poll({ bot })]).toEqual([[1], [2, 3]]);
  });

  test('that is deleted takes nothing any more, also at a worker that does not know it yet', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const program = await add(bot, { exclusive: true });
    const old = await knownBot(bot);
    await acceptWith(old, update(1));
    await change('delete', { id: program.id });
    await acceptWith(old, update(2));
    expect(await poll({ bot })).toEqual([2]);
  });

  test('takes from the moment it is there, also at a worker that does not know it yet', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const old = await knownBot(bot);
    await acceptWith(old, update(1));
    const first = await add(bot, { exclusive: true, order: 9 });
    await acceptWith(old, update(2));
    const second = await add(bot, { exclusive: true, order: 10 });
    await acceptWith(old, update(3));
    await change('update', { id: second.id, order: 8 });
    await acceptWith(old, update(4));
    expect(await poll({ bot })).toEqual([1]);
    expect([await poll({ bot, program: first }), await poll({ bot, program: second })]).toEqual([[2, 3], [4]]);
  });
});

describe('what a filter sees:', () => {
  test('an album goes where its first message goes, unless that program is gone', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const program = await add(bot, { exclusive: true, filter: { commands: ['save'] } });
    await accept(bot, update(1, { album: '91', text: '/save' }));
    await accept(bot, update(2, { album: '91' }), update(3, { album: '92' }));
    await accept(bot, update(4, { album: '92', text: '/save' }), update(5, { album: '91' }));
    expect([await poll({ bot, program }), await poll({ bot })]).toEqual([
      [1, 2, 5],
      [3, 4],
    ]);
    await change('delete', { id: program.id });
    const later = await add(bot, { exclusive: true, filter: { chat_ids: [6] } });
    await accept(bot, update(6, { album: '91' }));
    expect([await poll({ bot, program: later }), await poll({ bot })]).toEqual([[], [3, 4, 6]]);
  });

  test('an edit is judged by what the message says now', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const program = await add(bot, { exclusive: true, filter: { keyword: 'refund' } });
    const edited = 'edited_message';
    await accept(bot, update(1, { text: 'hello' }), update(2, { kind: edited, text: 'a refund' }));
    await accept(bot, update(3, { text: 'refund' }), update(4, { kind: edited, text: 'never mind' }));
    expect([await poll({ bot, program }), await poll({ bot })]).toEqual([
      [2, 3],
      [1, 4],
    ]);
  });

  test('a press of a button is judged by its data, its chat and its user, not by whose message it is at', async () => {
    const bot = await api.addBot({ long_poll_enabled: true });
    const kind = 'callback_query';
    const program = await add(bot, { exclusive: true, filter: { text: '^test:' } });
    const ofChat = await add(bot, { exclusive: true, filter: { chat_ids: [6] }, order: 101 });
    await accept(bot, update(1, { kind, data: 'test:1' }), update(2, { kind, data: 'live:1' }));
    await accept(bot, update(3, { kind, data: 'live:1', chat: 6 }), update(4, { kind, data: 'test:1', chat: 6 }));
    expect(await poll({ bot, program })).toEqual([1, 4]);
    expect([await poll({ bot, program: ofChat }), await poll({ bot })]).toEqual([[3], [2]]);
  });

  test('programs that share an update all get it, and may each answer it', async () => {
    const bot = await api.addBot();
    const kind = 'callback_query';
    const programs = [
      await add(bot, { filter: { user_ids: [7] } }),
      await add(bot, { filter: { text: '^a' } }),
      await add(bot),
    ];
    await accept(bot, update(1, { kind, data: 'a' }));
    for (const program of programs) expect(await poll({ bot, program })).toEqual([1]);
  });
});
