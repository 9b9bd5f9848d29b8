import { readFileSync } from 'node:fs';
import { documentedFields, documentedMethods } from '@flotilla/testing/documented-methods.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { callApi } from '../conformance/conformance-target.ts';
import { controlClient } from '../control-client.ts';
import { type RunningSimulator, startSimulator } from '../start.ts';
import { UNKEPT_METHODS } from './unkept-methods.ts';

let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.stop());

const call = async (method: string, params: object = {}) => {
  const control = controlClient(simulator.url);
  const target = { baseUrl: simulator.url, control, botFactory: (options: object) => control.createBot(options) };
  return callApi(target, await control.createBot({}), method, { ...params });
};

test('the simulator knows every documented method', async () => {
  const unknown: string[] = [];
  for (const { name } of documentedMethods()) {
    const { body } = await call(name);
    if (body.description?.includes('method not found')) unknown.push(name);
  }
  expect(unknown).toEqual([]);
});

test.each(documentedMethods().filter(({ name }) => Object.hasOwn(UNKEPT_METHODS, name)))(
  '$name, which keeps nothing, answers $result',
  async ({ name, result }) => {
    const { body } = await call(name, { name: 'a' });
    expect(body.ok).toBe(true);
    // Of several types the first or the last is right; a message that is not the bot's own is only `true`.
    if (result.endsWith('true')) expect(body.result).toBe(true);
    else if (result.endsWith('[]')) expect(body.result).toEqual([]);
    else expect(Object.keys(body.result as object).sort()).toEqual(requiredFields(result));
  },
);

/** Sent web app messages and boosts of a user have nothing that must be there. */
function requiredFields(type: string): string[] {
  const required = documentedFields(type, { required: true });
  return (required.length > 0 ? required : documentedFields(type)).sort();
}

test('the README lists the methods that keep nothing, and no others', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const listed = readme.split('## Methods that keep nothing')[1]!.split('\n## ')[0]!;
  const names = [...listed.matchAll(/\b[a-z]+(?:[A-Z]\w*)+\b/g)].map(([name]) => name);
  expect(names.toSorted()).toEqual(Object.keys(UNKEPT_METHODS).toSorted());
});
