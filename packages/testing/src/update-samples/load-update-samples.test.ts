import { UPDATE_KINDS } from '@flotilla/contract/bot-api/update-kinds.ts';
import { sliceUpdate, sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { expect, test } from '@jest/globals';
import { loadUpdateSamples } from './load-update-samples.ts';

test('there is a sample of every update kind, and each is one update with an id of its own', async () => {
  const samples = await loadUpdateSamples();
  const kinds = new Set(samples.map((sample) => sample.kind));
  expect(UPDATE_KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
  const sliced = samples.map((sample) => sliceUpdate(sample.text));
  expect(sliced.map((update) => update?.raw)).toEqual(samples.map((sample) => sample.text));
  expect(new Set(sliced.map((update) => update?.updateId)).size).toBe(samples.length);
  expect(new Set(samples.map((sample) => sample.name)).size).toBe(samples.length);
});

test('slicing an answer gives every sample back to the byte', async () => {
  const texts = (await loadUpdateSamples()).map((sample) => sample.text);
  const sliced = sliceUpdates(`{"ok":true,"result":[${texts.join(',\n')}]}`);
  expect(sliced?.updates.map((update) => update.raw)).toEqual(texts);
});

test('some samples are of bytes that parsing and printing would change', async () => {
  const samples = await loadUpdateSamples();
  const changed = samples.filter(({ text }) => JSON.stringify(JSON.parse(text)) !== text.replace(',\n', ','));
  expect(changed.length).toBeGreaterThan(10);
});
