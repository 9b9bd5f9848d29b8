import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, configKeys } from '@flotilla/redis/keys.ts';
import { systemClock } from '@flotilla/runtime/clock.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { secretBox } from '@flotilla/runtime/secret-box.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ActiveProgram } from './active-program.ts';
import { completeMirror, mirrorBot, unmirrorBot } from './bot-mirror.ts';
import { followDirectory } from './follow-directory.ts';
import { SEALED_PLACES } from './sealed-bot.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const secrets = secretBox(Buffer.alloc(32, 9).toString('base64'));
let server: TestRedis;
let redis: RedisHandles;
let directory: Awaited<ReturnType<typeof followDirectory>>;

beforeAll(async () => {
  server = await startTestRedis();
  redis = await connectRedis({ url: server.url, log });
});
afterAll(async () => {
  await redis.close();
  await server.stop();
});
beforeEach(async () => {
  await redis.commands.flushall();
  directory = await followDirectory({ redis, secrets, log });
});
afterEach(() => directory.close());

const deps = () => ({ redis, secrets, clock: systemClock });

describe('the bot directory', () => {
  test('is not there until the mirror is complete: unknown is not cannot know', async () => {
    await mirrorBot(deps(), aBot());
    await directory.refresh();
    expect(directory.ready()).toBe(false);
    expect(() => directory.byToken(aBot().token)).toThrow('cannot be read');
    await completeMirror(deps());
    await directory.refresh();
    expect(directory.byToken(aBot().token)).toEqual(aBot());
    expect(directory.byToken('1:stranger')).toBeUndefined();
  });

  test('hears of a change, of a new token and of a deletion', async () => {
    await completeMirror(deps());
    const told: number[] = [];
    directory.onChange((id) => told.push(id));
    await mirrorBot(deps(), aBot());
    await waitFor(() => directory.ready() && directory.byId(1));
    const changed = { ...aBot(), token: '700001:another', name: 'New', revision: 2 };
    await mirrorBot(deps(), changed);
    await waitFor(() => directory.byId(1)?.name === 'New');
    expect(directory.byToken(aBot().token)).toBeUndefined();
    expect(directory.byToken('700001:another')).toEqual(changed);
    await unmirrorBot(deps(), 1);
    await waitFor(() => directory.byId(1) === undefined);
    expect(new Set(told)).toEqual(new Set([1]));
  });

  test('an older revision never overwrites a newer one', async () => {
    await completeMirror(deps());
    await mirrorBot(deps(), { ...aBot(), long_poll_enabled: true, revision: 5 });
    await mirrorBot(deps(), { ...aBot(), long_poll_enabled: false, revision: 4 });
    await directory.refresh();
    expect(directory.byId(1)).toMatchObject({ long_poll_enabled: true, revision: 5 });
    expect(await redis.commands.hget(botKeys(1).state, 'pull')).toBe('1');
  });

  test('is dropped when Redis comes back empty, and loaded again once the mirror is rebuilt', async () => {
    await completeMirror(deps());
    await mirrorBot(deps(), aBot());
    await waitFor(() => directory.ready() && directory.byId(1));
    await redis.commands.flushall();
    await waitFor(() => !directory.ready());
    await mirrorBot(deps(), aBot());
    await completeMirror(deps());
    await waitFor(() => directory.ready() && directory.byId(1));
  });

  test('the mirror has the names that the release before reads, and the bot comes back whole', async () => {
    const program = {
      id: 1,
      backend_url: '',
      sees_held: false,
      filter: { chat_ids: [5] },
      tokens: [{ hash: 'a', per_second: 5 }],
    };
    const bot = aBot({ programs: [program as unknown as ActiveProgram] });
    await mirrorBot(deps(), bot);
    const [, sealed = ''] = ((await redis.commands.hget(configKeys.bots, '1')) ?? '').split(' ');
    expect(JSON.parse(secrets.open(sealed, SEALED_PLACES.mirrored(1, bot.revision)))).toMatchObject({
      ...{
        telegramId: 700_001,
        longPollEnabled: false,
        pace: { perSecond: 25 },
        createdAt: '1970-01-01T00:00:00.000Z',
      },
      programs: [{ backendUrl: '', seesHeld: false, filter: { chat_ids: [5] }, tokens: [{ perSecond: 5 }] }],
    });
    await completeMirror(deps());
    await directory.refresh();
    expect(directory.byId(1)).toEqual(bot);
  });

  test('one bot that cannot be read keeps what was known of it, and the others follow', async () => {
    await completeMirror(deps());
    const [first, second, third] = [1, 2, 3].map((id) => ({
      ...aBot(),
      id,
      telegram_id: 700_000 + id,
      token: `${id}:t`,
    }));
    for (const bot of [first!, second!, third!]) await mirrorBot(deps(), bot);
    await directory.refresh();
    const other = secretBox(Buffer.alloc(32, 8).toString('base64'));
    await mirrorBot({ ...deps(), secrets: other }, { ...second!, name: 'unreadable', revision: 2 });
    await mirrorBot(deps(), { ...third!, token: '3:another', revision: 2 });
    const told: number[] = [];
    directory.onChange((id) => told.push(id));
    await expect(directory.refresh()).rejects.toThrow('the configuration of bot 2 cannot be read');
    await mirrorBot(deps(), { ...first!, name: 'New', revision: 2 });
    await expect(directory.refresh()).rejects.toThrow('bot 2');
    expect([directory.byId(1)?.name, directory.byId(2)?.name]).toEqual(['New', second!.name]);
    expect([directory.byToken('3:t'), directory.byToken('3:another')?.id]).toEqual([undefined, 3]);
    await mirrorBot(deps(), { ...second!, name: 'readable', revision: 3 });
    await directory.refresh();
    expect(directory.byId(2)?.name).toBe('readable');
    expect(told.filter((id) => id === 3)).toHaveLength(1);
  });

  test('of two registrations of one bot at the platform, the one that stays keeps what both had', async () => {
    await completeMirror(deps());
    await mirrorBot(deps(), aBot());
    await mirrorBot(deps(), { ...aBot(), id: 2, token: '700001:another' });
    await mirrorBot(deps(), { ...aBot(), id: 3 });
    await unmirrorBot(deps(), 1);
    await directory.refresh();
    expect(directory.isOwnBot(aBot().telegram_id)).toBe(true);
    expect(directory.byToken(aBot().token)?.id).toBe(3);
    for (const id of [2, 3]) await unmirrorBot(deps(), id);
    await directory.refresh();
    expect(directory.isOwnBot(aBot().telegram_id)).toBe(false);
  });

  test('keeps nothing readable in Redis', async () => {
    await completeMirror(deps());
    await mirrorBot(deps(), { ...aBot(), secret_token: 'a-very-secret-token' });
    const stored = await redis.commands.hget(configKeys.bots, '1');
    expect(stored).not.toContain('a-very-secret-token');
    expect(stored).not.toContain(aBot().token);
  });
});
