import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { withoutReserve } from '@flotilla/testing/without-reserve.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

const ROUNDS = 60;
const CHATS = [11, 12, 13, 14];

const api = testApi();
/** Stands in for workers, which accept updates. */
let worker: Context;
beforeAll(async () => {
  worker = await createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  api.endBefore(worker.close);
});

type Program = { id: number; exclusive: boolean; order: number; filter: ProgramFilter };
type Update = { id: number; chat: number; text: string; possible: string[]; got: string[] };

/** Who gets an update by this configuration, as texts such as `7` or `audit,default,3,4`. */
function receivers(programs: Program[], { chat, text }: Update): string {
  const wants = ({ filter }: Program) =>
    (filter.chat_ids === undefined || filter.chat_ids.includes(chat)) &&
    (filter.commands === undefined || text === `/${filter.commands[0]}`);
  const taking = programs.filter((program) => program.exclusive && wants(program));
  const [owner] = taking.toSorted((left, right) => left.order - right.order || left.id - right.id);
  if (owner !== undefined) return String(owner.id);
  return ['audit', 'default', ...programs.filter(wants).map(({ id }) => String(id))].toSorted().join();
}

function randomBy(seed: number) {
  let state = seed;
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  return { below, oneOf: <T>(list: readonly T[]): T => list[below(list.length)]! };
}

test('every update goes to one taker, or to all who want it, whatever changes meanwhile', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { below, oneOf } = randomBy(seed);
  const bot = await api.addBot({ long_poll_enabled: true });
  const readers = new Map<string, { query: Record<string, string | number>; offset: number }>();
  const read = (name: string, query: Record<string, string | number>) => readers.set(name, { query, offset: 0 });
  read('default', {});
  read('audit', { consumer: 'audit' });
  let programs: Program[] = [];
  const updates: Update[] = [];
  const left = new Set<number>();

  const call = async (path: string, body: object): Promise<ProgramResource> => {
    const answer = await api.admin('POST', `/api/programs/${path}`, { body });
    expect({ seed, status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    return answer.json as ProgramResource;
  };
  const randomSettings = () => ({
    exclusive: below(2) === 0,
    order: 1 + below(5),
    filter: {
      ...(below(3) === 0 ? {} : { chat_ids: CHATS.filter(() => below(2) === 0).concat(11) }),
      ...(below(3) === 0 ? { commands: [oneOf(['a', 'b'])] } : {}),
    },
  });

  /** A change and the programs after it; `busy` is a program that must not be polled meanwhile. */
  const randomChange = (): { after(): Promise<Program[]>; busy: string } => {
    const what = programs.length === 0 ? 'add' : oneOf(['add', 'update', 'update', 'toggle', 'delete', 'nothing']);
    const chosen = programs.length === 0 ? undefined : oneOf(programs);
    const settings = randomSettings();
    if (what === 'add' || chosen === undefined) {
      const add = async () => {
        const { id } = await call('add', { bot_id: bot.id, name: `p${Math.random()}`, ...settings });
        read(String(id), { program_id: id });
        return [...programs, { id, ...settings }];
      };
      return { after: programs.length < 6 ? add : async () => programs, busy: '' };
    }
    const { id } = chosen;
    const update = async () => {
      await call('update', { id, ...settings });
      return programs.map((one) => (one.id === id ? { id, ...settings } : one));
    };
    const remove = async () => {
      await call('delete', { id });
      readers.delete(String(id));
      return programs.filter((one) => one.id !== id);
    };
    const toggle = async () => {
      await call('toggle', { id, enabled: below(2) === 0 });
      return programs;
    };
    switch (what) {
      case 'update':
        return { after: update, busy: '' };
      case 'delete':
        return { after: remove, busy: String(id) };
      case 'toggle':
        return { after: toggle, busy: '' };
      default:
        return { after: async () => programs, busy: '' };
    }
  };

  /** Two workers know this of the bot. They learn of changes at times of their own. */
  const known: Bot[] = [];
  const learn = async (at: number) => {
    await worker.directory.refresh();
    known[at] = worker.directory.byId(bot.id)!;
  };
  const accept = async (batch: Update[]) => {
    const date = Math.floor(Date.now() / 1000);
    const raws = batch.map(({ id, chat, text }) =>
      JSON.stringify({
        update_id: id,
        message: { message_id: id, date, chat: { id: chat, type: 'private' }, text },
      }),
    );
    const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join()}]}`)!.updates;
    const at = below(2);
    if (below(4) === 0) await learn(at);
    expect(await acceptUpdates(withoutReserve(worker), known[at]!, sliced)).toMatchObject({ appended: batch.length });
  };

  const poll = async (name: string, limit: number): Promise<number> => {
    const reader = readers.get(name);
    if (reader === undefined) return 0;
    const query = { bot_id: bot.id, timeout: 0, limit, offset: reader.offset, ...reader.query };
    const answer = await api.admin('GET', '/api/updates/poll', { query });
    expect({ seed, name, status: answer.status }).toMatchObject({ status: 200 });
    const ids = (answer.json as { result: { update_id: number }[] }).result.map(({ update_id }) => update_id);
    expect({ seed, name, ids }).toEqual({ seed, name, ids: ids.toSorted((a, b) => a - b) });
    for (const id of ids) updates[id - 1]!.got.push(name);
    if (ids.length > 0) reader.offset = ids.at(-1)! + 1;
    return ids.length;
  };

  for (const at of [0, 1]) await learn(at);
  await poll('audit', 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = programs;
    const batch = Array.from({ length: 1 + below(4) }, (_, at): Update => {
      const id = updates.length + 1 + at;
      return { id, chat: oneOf(CHATS), text: oneOf(['/a', '/b', 'hello']), possible: [], got: [] };
    });
    updates.push(...batch);
    const { after, busy } = randomChange();
    const polled = [...readers.keys()].filter((name) => name !== busy && below(2) === 0);
    const [changed] = await Promise.all([after(), accept(batch), ...polled.map((name) => poll(name, 1 + below(5)))]);
    programs = changed;
    for (const one of before)
      if (!programs.includes(one) && !programs.some(({ id }) => id === one.id)) left.add(one.id);
    for (const update of batch) update.possible = [receivers(before, update), receivers(programs, update)];
  }
  for (const { id } of programs) await call('toggle', { id, enabled: true });
  for (const name of readers.keys()) while ((await poll(name, 100)) > 0);

  const letters = await worker.redis.commands.xrange(botKeys(bot.id).history, '-', '+');
  const dead = new Set(
    letters.flatMap(([, fields]) => (fields[1] === 'dead' ? [Number(fields[fields.indexOf('i') + 1])] : [])),
  );
  for (const { id, possible, got } of updates) {
    // A deleted program may have gone without its updates; what it took is a dead letter then.
    const known = got.toSorted().join();
    const without = (names: string) => names.split(',').filter((name) => !left.has(Number(name)) || got.includes(name));
    const expected = possible.map((names) => (dead.has(id) && got.length === 0 ? '' : without(names).join()));
    const owners = possible.filter((names) => /^\d+$/.test(names));
    expect({ seed, id, known, expected }).toEqual({ seed, id, known, expected: expect.arrayContaining([known]) });
    if (dead.has(id))
      expect({ seed, id, owners }).toEqual({ seed, id, owners: expect.arrayContaining([expect.any(String)]) });
    if (known === '') expect({ seed, id, dead: dead.has(id) }).toEqual({ seed, id, dead: true });
  }
  expect(updates.some(({ got }) => got.length === 1)).toBe(true);
  expect(updates.some(({ got }) => got.length > 2)).toBe(true);
});
