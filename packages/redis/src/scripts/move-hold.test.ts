import { BOT, type LuaScene, luaScene, REGISTRATION, writtenNow } from '@flotilla/testing/lua-scene.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

const MINUTE_MS = 60_000;
const [GROUP, SUPERGROUP] = [-5, -1_002_100_000_000];

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterAll(() => scene.close());

const ofBot = { registrationId: REGISTRATION, botId: BOT };
const hold = (chatId: number, minutes: number) =>
  scripts.holdChat(scene.commands, scene.keys, {
    ...{ ...ofBot, conversation: String(chatId), forMs: minutes * MINUTE_MS, by: `account:${minutes}` },
  });
const move = (registrationId = REGISTRATION) =>
  scripts.moveHold(scene.commands, scene.keys, { ...ofBot, registrationId, fromChatId: GROUP, toChatId: SUPERGROUP });
const missedAs = async () =>
  (await scene.commands.zrange(scene.keys.missed, '0', '-1')).map((member) => member.split('|').slice(0, 2));
const listed = () => scene.commands.zrange(scene.keys.heldChats, '0', '-1', 'WITHSCORES');

test('a hold follows its group once with what was missed, beside one of the supergroup, and the group leads on', async () => {
  await scene.applyBot({ pull: true });
  expect(await move('another')).toEqual({ outcome: 'GONE' });
  expect(await move()).toEqual({ outcome: 'FREE' });
  await hold(GROUP, 30);
  await hold(SUPERGROUP, 10);
  await scene.accept([1], `c:${GROUP}`);
  await scene.accept([2], `c:${SUPERGROUP}`);
  expect(await move()).toEqual({ outcome: 'OK' });
  expect(await move()).toEqual({ outcome: 'FREE' });
  const id = (at: number) => [String(SUPERGROUP), String(at).padStart(16, '0')];
  await scene.accept([3], `c:${GROUP}`);
  expect(await missedAs()).toEqual([id(1), id(2), id(3)]);
  expect(await listed()).toEqual([`${BOT}:${SUPERGROUP}`, writtenNow(30 * MINUTE_MS)]);
  expect(await scene.commands.hget(scene.keys.holds, String(SUPERGROUP))).toMatch(/ account:30$/);

  const released = { delivers: false, limit: 1, reservedId: 0, filtersDigest: '', marksJson: '', updates: [] };
  const release = (chatId: number) =>
    scripts.releaseChat(scene.commands, scene.keys, { ...ofBot, conversation: String(chatId), ...released });
  expect(await release(GROUP)).toMatchObject({ outcome: 'OK' });
  expect(await release(SUPERGROUP)).toEqual({ outcome: 'FREE' });
  expect(await move()).toEqual({ outcome: 'FREE' });
  await scene.accept([4], `c:${GROUP}`);
  expect(await scene.commands.exists(scene.keys.holds, scene.keys.missed)).toBe(0);
});
