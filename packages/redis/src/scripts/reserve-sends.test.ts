import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const KEYS = { bot: '{pace}:bot', outboxWaits: '{pace}:outbox-waits' };
const CHATS = { chatPrefix: '{pace}:chat:' };
const MINUTE_MS = 60_000;
/** Ten an hour, far apart, so that no time passes while a test runs. */
const LIMITS = {
  ...{
    horizonMs: 30 * MINUTE_MS,
    bulkHorizonMs: 25 * MINUTE_MS,
    spacingMs: 6 * MINUTE_MS,
    most: 10,
    windowMs: 60 * MINUTE_MS,
    bulkMost: 6,
  },
  ...{ chatSpacingMs: 20 * MINUTE_MS, groupMost: 2, groupWindowMs: 50 * MINUTE_MS, kept: 100, keptOfChat: 20 },
  waitsMs: MINUTE_MS,
};
const send = (chatId: number, { bulk = false, messages = 1 } = {}) => ({ chatId, messages, bulk });
const reserve = async (sends: ReturnType<typeof send>[], limits: Partial<typeof LIMITS> = {}) => {
  const reply = await scripts.reserveSends(scene.commands, KEYS, { ...CHATS, ...LIMITS, ...limits, sends });
  return reply.rows.map(({ limit, waitMs }) => `${limit} ${Math.round(waitMs / MINUTE_MS)}`);
};

test('sends to different chats get times at even distances, as far as the horizon', async () => {
  const chats = Array.from({ length: 9 }, (_, at) => send(at + 1));
  expect(await reserve(chats)).toEqual(['none 0', 'none 6', 'none 12', 'none 18', 'none 24', 'none 30', 'bot 36']);
});

test('a chat that must wait reserves nothing, and the next send has its time', async () => {
  expect(await reserve([send(1), send(1), send(2)])).toEqual(['none 0', 'chat 20', 'none 6']);
});

test('bulk goes further apart, and leaves the rest to others', async () => {
  const bulk = Array.from({ length: 4 }, (_, at) => send(at + 1, { bulk: true }));
  expect(await reserve(bulk, { spacingMs: 0 })).toEqual(['none 0', 'none 10', 'none 20', 'bot 30']);
  expect(await reserve([send(8)], { spacingMs: 0 })).toEqual(['none 20']);
});

test('an album takes the times of its messages', async () => {
  expect(await reserve([send(1, { messages: 9 }), send(2, { messages: 2 })], { spacingMs: 0 })).toEqual([
    'none 0',
    'bot 60',
  ]);
});

test('a group has a limit of its own', async () => {
  const often = { chatSpacingMs: 0, spacingMs: 0 };
  expect(await reserve([send(-5), send(-5), send(-5)], often)).toEqual(['none 0', 'none 0', 'chat 50']);
});

describe('a message of a program', () => {
  const ofProgram = (most: number) =>
    scripts.reserveProgramTime(scene.commands, KEYS, {
      ...{ most, windowMs: LIMITS.windowMs, mostOfOutbox: LIMITS.most, horizonMs: LIMITS.horizonMs, kept: 100 },
    });
  const minutes = async (most: number) => {
    const { reserved, waitMs } = await ofProgram(most);
    return `${reserved} ${Math.round(waitMs / MINUTE_MS)}`;
  };

  test('has times among those of the outbox, and none of what is far away', async () => {
    expect(await reserve([send(1)])).toEqual(['none 0']);
    expect([await minutes(4), await minutes(4), await minutes(4)]).toEqual(['true 15', 'true 30', 'false 15']);
    expect(await reserve([send(2)])).toEqual(['bot 36']);
  });

  test('goes no faster than the outbox while that waits', async () => {
    expect([await minutes(20), await minutes(20)]).toEqual(['true 0', 'true 3']);
    expect(await reserve([send(1)], { horizonMs: 0 })).toEqual(['bot 9']);
    expect([await minutes(20), await minutes(5)]).toEqual(['true 9', 'true 21']);
  });
});

describe('what was sent without a reserved time', () => {
  test('counts for the bot and the chat', async () => {
    const noted = await scripts.noteSends(scene.commands, KEYS, {
      ...{ ...CHATS, windowMs: 60 * MINUTE_MS, chatWindowMs: 60 * MINUTE_MS },
      ...{ kept: 100, keptOfChat: 20, sends: [{ chatId: 1, messages: 3, ofBot: 3 }] },
    });
    expect(noted).toBe(true);
    expect(await reserve([send(1), send(2)])).toEqual(['chat 20', 'none 6']);
    expect(await scene.commands.llen('{pace}:chat:1')).toBe(3);
  });

  test('counts for the chat alone if the bot has a time of it', async () => {
    await scripts.noteSends(scene.commands, KEYS, {
      ...{ ...CHATS, windowMs: 60 * MINUTE_MS, chatWindowMs: 60 * MINUTE_MS },
      ...{ kept: 100, keptOfChat: 20, sends: [{ chatId: 1, messages: 1, ofBot: 0 }] },
    });
    expect(await reserve([send(1), send(2)])).toEqual(['chat 20', 'none 0']);
  });
});
