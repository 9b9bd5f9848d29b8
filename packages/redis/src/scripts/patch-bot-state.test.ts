import { type LuaScene, luaScene, REGISTRATION, writtenNow } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scripts } from '../script-calls.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('sets fields of this registration only', async () => {
  const patch = (registration: string) =>
    scripts.patchBotState(scene.commands, scene.keys, {
      registrationId: registration,
      changes: [
        { field: 'pollErr', value: 'x' },
        { field: 'pollTries', value: 5 },
      ],
      times: ['pollErrAt'],
    });
  expect(await patch(REGISTRATION)).toBe(false);
  await scene.applyBot({ pull: true });
  expect([await patch('another'), await patch(REGISTRATION)]).toEqual([false, true]);
  expect(await scene.commands.hmget(scene.keys.state, 'pollErr', 'pollTries', 'pollErrAt')).toEqual([
    ...['x', '5'],
    writtenNow(),
  ]);
});
