import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { controlClient } from '../control-client.ts';
import { type RunningSimulator, startSimulator } from '../start.ts';
import { botApiHttpConformance } from './bot-api-http-conformance.ts';
import { type ConformanceTarget, callback, inject, inlineQuery, kindsOf, message, poll } from './conformance-target.ts';
import { getUpdatesConformance } from './get-updates-conformance.ts';

let simulator: RunningSimulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

const target = (): ConformanceTarget => {
  const control = controlClient(simulator.url);
  return { baseUrl: simulator.url, control, botFactory: (options) => control.createBot(options) };
};

botApiHttpConformance(target);
getUpdatesConformance({ target });

test('an update expires while it waits, as long as its kind lives', async () => {
  const other = await startSimulator();
  const control = controlClient(other.url);
  const there = { baseUrl: other.url, control, botFactory: (options: object) => control.createBot(options) };
  const bot = await control.createBot({});
  await inject(there, bot, [callback(), inlineQuery(), message('lives for a day')]);
  await control.advanceClock({ ms: 31_000 });
  expect(kindsOf(await poll(there, bot))).toEqual(['callback_query', 'message']);
  await control.advanceClock({ ms: 120_000 });
  expect(kindsOf(await poll(there, bot, { offset: 1 }))).toEqual(['message']);
  await control.advanceClock({ ms: 86_400_000 });
  expect(kindsOf(await poll(there, bot, { offset: 2 }))).toEqual([]);
  await other.stop();
});
