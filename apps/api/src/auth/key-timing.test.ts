import { newApiKey } from '@flotilla/domain/accounts/api-key.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const ROUNDS = 150;
const LARGEST_RATIO = 1.5;

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
}, 60_000);

afterAll(async () => {
  await api?.stop();
});

test('a key wrong at its first byte, at its last, and one of nobody take equally long to refuse', async () => {
  const { key } = await insertAccount(api.database.db, { username: 'timed' });
  const altered = (at: number) => `${key.slice(0, at)}${key[at] === 'A' ? 'B' : 'A'}${key.slice(at + 1)}`;
  const wrong = {
    first: altered(4),
    last: altered(key.length - 1),
    unknown: newApiKey(),
    malformed: 'flt_no_checksum',
  };
  const took: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, candidate] of Object.entries(wrong)) {
      const call = restClient(api.url, candidate);
      const beganAtMs = performance.now();
      expect((await call('GET', '/api/auth/me')).status).toBe(401);
      const times = took[name] ?? [];
      took[name] = [...times, performance.now() - beganAtMs];
    }
  }
  const medians = Object.values(took).map((times) => times.sort((one, other) => one - other)[ROUNDS / 2] ?? 0);
  expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(LARGEST_RATIO);
});
