import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { logScene } from '@flotilla/testing/log-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { mirrorBot } from '../../fleet/bots/bot-mirror.ts';
import { acceptUpdates } from './accept-updates.ts';
import { beginPolling } from './begin-polling.ts';

const scene = logScene();
const { accept, deps, idsOf, read, registered, update } = scene;
beforeAll(scene.open);
afterEach(scene.clear);
afterAll(scene.close);

test('keeps the bytes, and a repeated update once', async () => {
  const bot = await registered({});
  const odd = `{"update_id":77,"message":{"big":9007199254740993,"b":1,"a":"\\u0041\\/","date":${Math.floor(Date.now() / 1000)},"chat":{"id":1}}}`;
  expect(await accept(bot, odd)).toEqual({ outcome: 'accepted', appended: 1, duplicates: 0 });
  expect(await accept(bot, odd)).toEqual({ outcome: 'accepted', appended: 0, duplicates: 1 });
  expect(await read(bot)).toEqual([odd]);
});

test('gives what arrives late or after a jump down the next id, in the bytes too', async () => {
  const bot = await registered({});
  await accept(bot, update(500), update(499), update(7));
  expect(await idsOf(bot)).toEqual([500, 501, 502]);
  expect((await read(bot))[2]).toContain('"message_id":7');
});

test('refuses what a deleted, disabled or re-registered bot is sent', async () => {
  const bot = await registered({});
  expect(await accept({ ...bot, registration_id: 'another' }, update(1))).toEqual({ outcome: 'gone' });
  await mirrorBot(deps(), { ...bot, disabled: true, revision: 2 });
  expect(await accept(bot, update(1))).toEqual({ outcome: 'disabled' });
  expect(await accept(aBot({ id: 9999 }), update(1))).toEqual({ outcome: 'gone' });
});

test('ids of the server that a bot came to are no duplicates, and what it gets goes on above all that it had', async () => {
  const bot = await registered({});
  await accept(bot, update(499), update(500));
  const moved = { ...bot, moves: 1, revision: 2 };
  await mirrorBot(deps(), moved);
  expect(await accept(bot, update(501))).toEqual({ outcome: 'fenced' });
  expect(await accept(moved, update(7), update(500))).toMatchObject({ appended: 2, duplicates: 0 });
  expect(await accept(moved, update(7))).toMatchObject({ appended: 0, duplicates: 1 });
  expect(await idsOf(moved)).toEqual([499, 500, 501, 502]);
});

test('refuses the commit of a polling turn that is not the owner any more', async () => {
  const bot = await registered({});
  const first = await beginPolling(deps(), bot);
  const second = await beginPolling(deps(), bot);
  if (first.outcome !== 'owner' || second.outcome !== 'owner') throw new Error('no owner');
  const sliced = sliceUpdates(`{"ok":true,"result":[${update(1)}]}`)!.updates;
  expect(await acceptUpdates(deps(), bot, sliced, { fencingToken: first.fencingToken, pollOffset: 2 })).toEqual({
    outcome: 'fenced',
  });
  expect(await acceptUpdates(deps(), bot, sliced, { fencingToken: second.fencingToken, pollOffset: 2 })).toMatchObject({
    appended: 1,
  });
  expect(await beginPolling(deps(), bot)).toMatchObject({ pollOffset: 2 });
});
