import { BOT, type LuaScene, luaScene, okOf, REGISTRATION } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type ReleaseChatReply, scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const hold = (chatId: number) =>
  scripts.holdChat(scene.commands, scene.keys, {
    registrationId: REGISTRATION,
    botId: BOT,
    conversation: String(chatId),
    forMs: 60_000,
    by: 'owner',
  });
type Fields = {
  delivers?: boolean;
  limit?: number;
  members?: string[];
  reservedId?: number | null;
  registrationId?: string;
};
const release = (fields: Fields = {}) => {
  const { delivers = true, limit = 2, members = [], reservedId = 0, registrationId = REGISTRATION } = fields;
  return scripts.releaseChat(scene.commands, scene.keys, {
    ...{ registrationId, botId: 1, conversation: '5', delivers, limit, reservedId },
    ...{ filtersDigest: '', marksJson: '', updates: members.map((member) => ({ member })) },
  });
};
const moreOf = (reply: ReleaseChatReply) => {
  if (reply.outcome !== 'MORE') throw new Error(`the script answered ${reply.outcome}`);
  return reply;
};
const logged = async () =>
  (await scene.commands.xrange(scene.keys.log, '-', '+')).map(([id, fields]) => [
    id,
    fields[1],
    fields[13],
    fields[17],
  ]);

test('delivers step by step, each update once, and holds the chat until the last one', async () => {
  await scene.applyBot({ pull: true });
  await hold(5);
  await scene.accept([1, 2, 3], 'c:5');
  await scene.accept([4], 'c:6');
  expect(await logged()).toEqual([['4-0', '{"update_id":4}', '0', undefined]]);
  const first = moreOf(await release());
  expect([first.members.length, first.delivered]).toEqual([2, 0]);
  const second = moreOf(await release({ members: first.members }));
  expect([second.members.length, second.delivered, second.lastId]).toEqual([1, 2, 6]);
  // The reply was lost, so the call comes again.
  expect(moreOf(await release({ members: first.members }))).toMatchObject({ delivered: 0, members: second.members });
  await scene.accept([8], 'c:5');
  const third = moreOf(await release({ members: second.members }));
  expect(okOf(await release({ members: third.members }))).toMatchObject({ delivered: 1, lastId: 10 });
  expect((await logged()).map(([id, raw]) => [id, raw])).toEqual([
    ['4-0', '{"update_id":4}'],
    ['5-0', '{"update_id":5}'],
    ['6-0', '{"update_id":6}'],
    ['9-0', '{"update_id":9}'],
    ['10-0', '{"update_id":10}'],
  ]);
  expect((await logged()).slice(1).map(([, , isLeftOut, mark]) => [isLeftOut, mark])).toEqual(
    Array.from({ length: 4 }, () => ['0', 'm,']),
  );
  expect(await release()).toEqual({ outcome: 'FREE' });
  expect(await scene.commands.exists(scene.keys.holds, scene.keys.missed)).toBe(0);
  expect(await scene.commands.hget(scene.keys.state, 'heldUntil')).toBeNull();
});

test('delivers presses of every kind within their own time only, and messages after theirs', async () => {
  await scene.applyBot({ pull: true });
  const { holds, missed } = scene.keys;
  const presses = ['callback_query', 'widget_query', 'hologram_query'];
  const missAll = async (firstId: number, expiresAtMs: number) => {
    await hold(5);
    for (const [at, kind] of [...presses, 'message'].entries()) await scene.accept([firstId + at], 'c:5', kind);
    for (const old of await scene.commands.zrange(missed, '0', '-1')) {
      await scene.commands.zrem(missed, old);
      await scene.commands.zadd(missed, '0', old.replace(/^(5\|\d+\|)\d+/, `$1${expiresAtMs}`));
    }
  };
  const releaseAll = async () => {
    const { members } = moreOf(await release({ limit: 10 }));
    return okOf(await release({ members })).delivered;
  };
  const soonMs = Date.now() + 60_000;
  await missAll(1, soonMs);
  expect(await releaseAll()).toBe(4);
  const expiries = (await scene.commands.xrange(scene.keys.log, '-', '+')).map(
    ([, fields]) => Number(fields[fields.indexOf('x') + 1]) === soonMs,
  );
  expect(expiries).toEqual([true, true, true, false]);

  await missAll(11, Date.now() - 60_000);
  await scene.commands.hset(holds, '5', `${Date.now() - 1} 60000 1  owner`);
  expect(await releaseAll()).toBe(1);
});

test('asks for the reserved id after Redis was restarted, and answers nothing for another registration', async () => {
  await scene.applyBot({ pull: true });
  await hold(5);
  await scene.commands.hset(scene.keys.state, 'run', 'another');
  expect(await release({ registrationId: 'another' })).toEqual({ outcome: 'GONE' });
  expect(await release({ reservedId: null })).toEqual({ outcome: 'DOUBT' });
  expect(await release({ reservedId: 700, delivers: false })).toMatchObject({
    outcome: 'OK',
    delivered: 0,
    lastId: 700,
  });
});
