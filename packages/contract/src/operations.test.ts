import { describe, expect, test } from '@jest/globals';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';

describe.each(Object.entries<Operation>(operations))('the example of %s', (_name, { input, output, example }) => {
  test('is taken by the operation, and names no field that it does not know', () => {
    expect(input.safeParse(example.input).error?.issues).toBeUndefined();
    const known = Object.keys(input.shape);
    expect(Object.keys(example.input).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('has an answer as the operation gives them', () => {
    expect(output.safeParse(example.output).error?.issues).toBeUndefined();
  });
});

const lists = Object.entries<Operation>(operations).filter(([, { input }]) => 'offset' in input.shape);

test.each(lists)('%s has an end, whatever is asked for', (_name, { input, example }) => {
  for (const limit of [undefined, 1_000_000_000]) {
    const asked = { ...example.input, ...(limit === undefined ? {} : { limit }) };
    expect(input.parse(asked).limit).toBeLessThanOrEqual(10_000);
  }
});
