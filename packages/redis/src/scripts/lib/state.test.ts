import { type LuaScene, luaScene } from '@flotilla/testing/lua-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { channels, HELD_TURN_PREFIX } from '../../keys.ts';
import { resolveNames } from '../../script-text.ts';

let scene: LuaScene;
beforeAll(async () => {
  scene = await luaScene();
});
afterEach(() => scene.clear());
afterAll(() => scene.close());

test('reads fields by their names in code, and leaves out what is absent', async () => {
  await scene.commands.hset(scene.keys.state, { registrationId: 'one', pushCursor: 7, pull: 1 });
  const body = `-- @read s <- state: registrationId, openUntil,
    --   pushCursor as cursor, pull
    return cjson.encode(s)`;
  const read = JSON.parse(String(await scene.evaluate('state', body, { state: scene.keys.state })));
  expect(read).toEqual({ registrationId: 'one', cursor: '7', pull: '1' });
});

test('writes fields under their names in code, and nothing where nothing changes', async () => {
  const { state } = scene.keys;
  await scene.evaluate('state', 'writeState(state, {})', { state });
  expect(await scene.commands.exists(state)).toBe(0);
  await scene.evaluate('state', `writeState(state, { '@openUntil', 5, '@rulesClaim', 'a', '@pushOkAt', 6 })`, {
    state,
  });
  expect(await scene.commands.hgetall(state)).toEqual({ openUntil: '5', rulesClaim: 'a', pushOkAt: '6' });
});

test.each([
  '-- @read s <- state: on, pushCurser',
  "writeState(state, { '@pushCurser', 1 })",
  "redis.call('PUBLISH', '@channels.pushCurser', 1)",
])('a name that TypeScript does not spell is refused: %s', (lua) => {
  expect(() => resolveNames(lua)).toThrow(/neither a field nor a shared name: @(channels\.)?pushCurser/);
});

test('a channel and the prefix of held turns are those of TypeScript', () => {
  expect(resolveNames("call('PUBLISH', '@channels.turnNews', '@heldTurn' .. turn)")).toBe(
    `call('PUBLISH', '${channels.turnNews}', '${HELD_TURN_PREFIX}' .. turn)`,
  );
});

test('closing the breaker forgets the failures', async () => {
  const { state } = scene.keys;
  await scene.commands.hset(state, { failingSince: 1, probeIntervalMs: 2, openUntil: 3, pushErr: 'down' });
  await scene.evaluate('state', 'closeBreaker(state)', { state });
  expect(await scene.commands.hgetall(state)).toEqual({ pushErr: 'down' });
});
