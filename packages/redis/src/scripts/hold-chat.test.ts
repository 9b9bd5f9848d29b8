import { BOT, type LuaScene, luaScene, REGISTRATION, writtenNow } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const hold = (
  conversation: number | string,
  fields: { forMs?: number | null; by?: string; registrationId?: string } = {},
) =>
  scripts.holdChat(scene.commands, scene.keys, {
    ...{
      registrationId: REGISTRATION,
      botId: BOT,
      conversation: String(conversation),
      forMs: MINUTE_MS,
      by: 'account:ada',
    },
    ...fields,
  });
const stored = async (chatId: number) => (await scene.commands.hget(scene.keys.holds, String(chatId)))?.split(' ');

test('holds a chat for a time, which begins anew when it is held again or renewed, and never becomes shorter by renewing', async () => {
  await scene.applyBot();
  expect(await hold(5, { registrationId: 'another' })).toEqual({ outcome: 'GONE' });
  expect(await hold(5, { forMs: null })).toEqual({ outcome: 'FREE' });
  expect(await hold(5)).toMatchObject({ outcome: 'OK', began: true, forMs: MINUTE_MS });
  const [, , since] = (await stored(5)) ?? [];
  expect(await hold(5, { forMs: 30 * MINUTE_MS, by: 'account:bob' })).toMatchObject({
    began: false,
    forMs: 30 * MINUTE_MS,
  });
  expect(await stored(5)).toEqual([writtenNow(30 * MINUTE_MS), String(30 * MINUTE_MS), since, '', 'account:bob']);
  expect(await hold(5, { forMs: null, by: '' })).toMatchObject({ outcome: 'OK', began: false });
  expect((await stored(5))?.at(4)).toBe('account:bob');
  expect(await scene.commands.hget(scene.keys.state, 'heldUntil')).toEqual(writtenNow(30 * MINUTE_MS));
  expect(await scene.commands.pexpiretime(scene.keys.holds)).toEqual(writtenNow(30 * MINUTE_MS + DAY_MS));
});

test('removes holds that have ended, with what they have kept', async () => {
  await scene.applyBot({ pull: true });
  await hold(5);
  await hold(50);
  await scene.accept([1, 2], 'c:5');
  await scene.accept([3], 'c:50');
  await scene.commands.hset(scene.keys.holds, '5', '1 60000 1  account:ada');
  expect(await hold(6)).toMatchObject({ began: true });
  expect((await scene.commands.hkeys(scene.keys.holds)).toSorted()).toEqual(['50', '6']);
  const kept = await scene.commands.zrange(scene.keys.missed, '0', '-1');
  expect(kept).toEqual([expect.stringMatching(/^50\|0000000000000003\|\d+\|14\|message\|c:50\|\{"update_id":3\}$/)]);
  expect(await scene.commands.pexpiretime(scene.keys.missed)).toEqual(writtenNow(MINUTE_MS + DAY_MS));
});

test('costs the same with many held chats, and those that have ended go little by little', async () => {
  await scene.applyBot();
  const ended = Array.from({ length: 5_000 }, (_, at) => [String(1_000 + at), '1 60000 1  account:ada']).flat();
  await scene.commands.hset(scene.keys.holds, ...ended);
  const readWhole = async () => /cmdstat_hgetall:calls=(\d+)/.exec(await scene.commands.info('commandstats'))?.[1];
  const before = await readWhole();
  for (let chat = 1; chat <= 20; chat += 1) await hold(chat);
  expect(await readWhole()).toBe(before);
  expect(await scene.commands.hlen(scene.keys.holds)).toBeLessThan(5_020 - 20 * 15);
  expect(await scene.commands.hget(scene.keys.state, 'heldUntil')).toEqual(writtenNow(MINUTE_MS));
});

test('of a business connection is a hold of its own, and neither a rule nor its owner changes that of a person', async () => {
  await scene.applyBot({ pull: true });
  expect(await hold('5:one', { by: 'owner' })).toMatchObject({ began: true });
  expect(await hold('5:two', { forMs: 30 * MINUTE_MS })).toMatchObject({ began: true });
  expect(await hold(5)).toMatchObject({ began: true });
  const left = await hold('5:two', { by: 'owner' });
  expect(left).toMatchObject({ began: false });
  expect('forMs' in left && left.forMs).toBeGreaterThan(29 * MINUTE_MS);
  expect(await hold('5:one', { by: 'owner', forMs: 2 * MINUTE_MS })).toMatchObject({ began: false });
  expect(await scene.commands.hvals(scene.keys.holds)).toEqual([
    expect.stringMatching(/ {2}owner$/),
    expect.stringMatching(/^\d+ 1800000 \d+ {2}account:ada$/),
    expect.stringMatching(/ {2}account:ada$/),
  ]);
});

test('lists the held chats of a shard until their time is over, and no longer', async () => {
  await scene.applyBot();
  const listed = () => scene.commands.zrange(scene.keys.heldChats, '0', '-1', 'WITHSCORES');
  await scene.commands.zadd(scene.keys.heldChats, 1, '9:9');
  await hold(5, { forMs: 30 * MINUTE_MS });
  await hold(-6);
  expect(await listed()).toEqual([`${BOT}:-6`, writtenNow(MINUTE_MS), `${BOT}:5`, writtenNow(30 * MINUTE_MS)]);
  expect(await scene.commands.pexpiretime(scene.keys.heldChats)).toEqual(writtenNow(30 * MINUTE_MS));
  await hold(-6, { forMs: 40 * MINUTE_MS });
  const release = { delivers: false, limit: 1, reservedId: 0, filtersDigest: '', marksJson: '', updates: [] };
  const ofChat = { registrationId: REGISTRATION, botId: BOT, conversation: '5' };
  await scripts.releaseChat(scene.commands, scene.keys, { ...ofChat, ...release });
  expect(await listed()).toEqual([`${BOT}:-6`, writtenNow(40 * MINUTE_MS)]);
});
