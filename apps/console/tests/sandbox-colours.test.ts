import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const APPS = join(import.meta.dirname, '../..');

async function colours(file: string): Promise<Map<string, string>> {
  const text = await readFile(join(APPS, file), 'utf8');
  return new Map(
    [...text.matchAll(/^ {2}(--[a-z-]+): (light-dark\(.*\));$/gm)].map(([, name, value]) => [name!, value!]),
  );
}

test('the page of the sandbox, which is served as it stands, has the colours of the console', async () => {
  const [ours, sandbox] = [await colours('console/src/theme.css'), await colours('sandbox/src/phone/page/phone.css')];
  const shared = [...sandbox].filter(([name]) => ours.has(name));
  expect(shared.length).toBeGreaterThan(5);
  for (const [name, value] of shared) expect([name, value]).toEqual([name, ours.get(name)]);
});
