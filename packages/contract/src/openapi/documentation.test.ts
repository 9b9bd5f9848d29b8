import { describe, expect, test } from '@jest/globals';
import { documentation } from './documentation.ts';

describe.each(documentation.map((about) => [about.operation.name, about] as const))(
  'the example of %s',
  (_name, about) => {
    const { operation, example } = about;

    test('is taken by the operation, and names no field that it does not know', () => {
      expect(operation.input.safeParse(example.input).error?.issues).toBeUndefined();
      const known = Object.keys(operation.input.shape);
      expect(Object.keys(example.input).filter((name) => !known.includes(name))).toEqual([]);
    });

    test('has an answer as the operation gives them', () => {
      expect(operation.output.safeParse(example.output).error?.issues).toBeUndefined();
    });
  },
);
