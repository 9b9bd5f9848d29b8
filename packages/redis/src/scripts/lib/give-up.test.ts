import { type LuaScene, luaScene, PUSH_FIELDS, writtenNow } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

const giveUp = (id: string) => {
  const body = `-- @keys from turn
-- @args from settle
--   id: text
local turn = openTurn('push', ${PUSH_FIELDS}, KEYS, ARGV)
giveUp(turn, id, { code = 'crashed', reason = 'r', attempts = 3 })
return turn.wakeHistory`;
  return scene.evaluate('settle', body, scene.turnKeys('push'), {
    ...scene.claimArguments('push', { name: 'a1' }),
    id,
  });
};

test('an update becomes a dead letter, and the history writer is woken once', async () => {
  await scene.applyBot({ push: true });
  await scene.accept([7, 8]);
  expect([await giveUp('7'), await giveUp('8')]).toEqual([1, 0]);
  const letters = await scene.commands.xrange(scene.keys.history, '-', '+');
  expect(letters.map(([, fields]) => fields[fields.indexOf('i') + 1])).toEqual(['7', '8']);
  expect(await scene.commands.zscore(scene.keys.pendingTurns, 'history')).toEqual(writtenNow());
});

test('what is not there any more leaves nothing', async () => {
  await scene.applyBot({ push: true });
  expect(await giveUp('9')).toBe(0);
  expect(await scene.commands.exists(scene.keys.history)).toBe(0);
});
