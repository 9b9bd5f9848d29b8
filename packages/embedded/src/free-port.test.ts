import { expect, test } from '@jest/globals';
import { freePort } from './free-port.ts';

test('no port is given twice, though nobody has taken the first one yet', async () => {
  const ports = await Promise.all(Array.from({ length: 300 }, freePort));
  expect(new Set(ports).size).toBe(300);
});
