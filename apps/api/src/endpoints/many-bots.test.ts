import type { Attention } from '@flotilla/domain/fleet/bot-list/attention.ts';
import { statusColumns } from '@flotilla/domain/fleet/bot-list/status-columns.ts';
import { reconcileBots } from '@flotilla/domain/fleet/bots/reconcile-bots.ts';
import { botChanges } from '@flotilla/domain/watch/live/bot-changes.ts';
import { botKeys, channels, programKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { FLEET_ENCRYPTION_KEY } from '@flotilla/testing/fleet/fleet.ts';
import { insertManyBots } from '@flotilla/testing/many-bots.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

/** More than are read for each caller. */
const BOTS = 250;

const api = testApi({ ENCRYPTION_KEY: FLEET_ENCRYPTION_KEY });
let context: Context;
/** The time by which the columns think. */
let nowMs: number;
let columns: ReturnType<typeof statusColumns>;
let changes: ReturnType<typeof botChanges>;

beforeAll(async () => {
  context = await createContext(readConfig(api.env), { log: createLogger({ name: 'test', level: 'silent' }) });
  api.endBefore(context.close);
  await insertManyBots(api.database.db, BOTS, () => 'http://127.0.0.1:9');
  await reconcileBots(context);
  await context.directory.refresh();
  nowMs = Date.now();
  changes = botChanges({ ...context, clock: { nowMs: () => nowMs } });
  api.endBefore(async () => changes.close());
  await waitFor(() => changes.since(nowMs) !== null);
});
beforeEach(async () => {
  nowMs += 10_000;
  columns = statusColumns({ ...context, clock: { nowMs: () => nowMs }, changes });
  const live = { pollOkAt: nowMs, allowedCount: 5, pushCursorCount: 5, updateAt: 7 };
  await context.redis.runMany(
    context.directory.all().map(({ id }) => ['hset', stateOf(id), ...Object.entries(live).flat()]),
  );
});

const stateOf = (id: number): string => botKeys(id).state;

/** The values of the first bot and of the last one, and when they were taken. */
async function ends<Value>(
  read: (bots: ReturnType<Context['directory']['all']>) => Promise<{ value: Value[]; atMs: number }>,
) {
  const { value, atMs } = await read(context.directory.all());
  return { first: value[0], last: value.at(-1), atMs };
}

describe('the states and figures of more than 200 bots', () => {
  test('are read before they are shown when the last ones are five seconds old', async () => {
    const [bot] = context.directory.all();
    expect(await ends(columns.pending)).toEqual({ first: 0, last: 0, atMs: nowMs });
    await context.redis.commands.hset(stateOf(bot!.id), 'allowedCount', 9);
    expect(await ends(columns.pending)).toMatchObject({ first: 0 });
    nowMs += 5_000;
    expect(await ends(columns.pending)).toEqual({ first: 4, last: 0, atMs: nowMs });
  });

  test('say when they were taken, and are read anew while an older value is shown', async () => {
    const takenAtMs = nowMs;
    const [bot] = context.directory.all();
    await ends(columns.lastUpdates);
    await context.redis.commands.hset(stateOf(bot!.id), 'updateAt', 8);
    nowMs += 4_000;
    expect(await ends(columns.lastUpdates)).toEqual({ first: 7, last: 7, atMs: takenAtMs });
    await waitFor(async () => (await ends(columns.lastUpdates)).atMs === nowMs);
    expect(await ends(columns.lastUpdates)).toEqual({ first: 8, last: 7, atMs: nowMs });
  });

  test('are of the present for a bot that has announced a change', async () => {
    const [bot, other] = context.directory.all();
    await ends(columns.states);
    for (const { id } of [bot!, other!]) await context.redis.commands.hset(stateOf(id), 'failingSince', nowMs);
    await context.redis.commands.publish(channels.botState, `${bot!.id}`);
    await waitFor(async () => (await ends(columns.states)).first === 'failing');
    const { value, atMs } = await columns.states(context.directory.all());
    expect(value.slice(0, 3)).toEqual(['failing', 'ok', 'ok']);
    expect(atMs).toBe(nowMs);
    await context.redis.commands.hdel(stateOf(bot!.id), 'failingSince');
    await context.redis.commands.hdel(stateOf(other!.id), 'failingSince');
  });

  test('have a bot at once that was added since, and its new settings when it is changed', async () => {
    await ends(columns.states);
    const { id } = await api.addBot({ long_poll_enabled: true });
    const shown = async () => {
      await context.directory.refresh();
      const bots = context.directory.all();
      const { value } = await columns.states(bots);
      return { bots: value.length, state: value[bots.findIndex((bot) => bot.id === id)] };
    };
    await context.redis.commands.hset(stateOf(id), 'pollOkAt', nowMs);
    expect(await shown()).toEqual({ bots: BOTS + 1, state: 'ok' });
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id } });
    expect(await shown()).toEqual({ bots: BOTS + 1, state: 'disabled' });
  });

  test('have what is wrong with their programs, and nothing for bots without programs', async () => {
    const bot_id = context.directory.all()[0]!.id;
    const program = { bot_id, name: 'alerts', mode: 'push', backend_url: 'http://127.0.0.1:9/' };
    const { id } = (await api.admin('POST', '/api/programs/add', { body: program })).json as { id: number };
    await context.directory.refresh();
    const isOfProgram = ({ program_id }: Attention) => program_id !== null;
    const troubled = async () => {
      const bots = context.directory.all();
      const { value } = await columns.attention(bots);
      return bots.flatMap((bot, at) =>
        value[at]!.filter(isOfProgram).map(({ kind, program_id }) => [bot.id, kind, program_id]),
      );
    };
    expect(await troubled()).toEqual([]);
    await context.redis.commands.hset(programKeys(bot_id, id).state, 'failingSince', nowMs);
    nowMs += 10_000;
    expect(await troubled()).toEqual([[bot_id, 'program_failing', id]]);
  });
});

test('a list says when the states and figures were taken by which it is filtered and sorted', async () => {
  const list = (query: object) => api.admin('GET', '/api/bots', { query: { limit: '2', ...query } });
  const beganMs = Date.now();
  for (const query of [{ state: 'ok' }, { sort: 'pending' }, { state: 'disabled', sort: 'last_update' }, {}]) {
    const { headers } = await list(query);
    expect(Date.parse(headers.get('x-taken-at') ?? '')).toBeGreaterThanOrEqual(beganMs);
  }
});
