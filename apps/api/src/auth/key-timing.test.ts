import { newApiKey } from '@flotilla/domain/people/accounts/api-key.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
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
  const wrong = [altered(4), altered(key.length - 1), newApiKey(), 'flt_no_checksum'];
  // A busy machine disturbs one measurement; what tells the keys apart would show in each of them.
  await waitFor(async () => (await measureRatio(wrong)) < LARGEST_RATIO, { timeoutMs: 50_000, message: 'equal times' });
});

/** The longest median time of a refusal by the shortest one. */
async function measureRatio(keys: string[]): Promise<number> {
  const took = keys.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, key] of keys.entries()) {
      const beganAtMs = performance.now();
      expect((await restClient(api.url, key)('GET', '/api/auth/me')).status).toBe(401);
      took[at]?.push(performance.now() - beganAtMs);
    }
  }
  const medians = took.map((times) => times.sort((one, other) => one - other)[ROUNDS / 2] ?? 0);
  return Math.max(...medians) / Math.min(...medians);
}
