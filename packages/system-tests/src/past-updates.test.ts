import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

type Past = { update_id: number; at: string; message?: { text?: string } };

/** Most of them are in Postgres. The first hundred, which are accepted together, have ids of three and of four digits. */
const [FIRST_ID, UPDATES] = [950, 1_100];

let fleet: Fleet;
let busy: FleetBot;
let other: FleetBot;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  busy = await fleet.addBot({ long_poll_enabled: true }, { nextUpdateId: FIRST_ID });
  other = await fleet.addBot({ long_poll_enabled: true });
  await fleet.control.generate({ bots: [busy.platformId], chats: 20, count: UPDATES });
  await fleet.control.generate({ bots: [other.platformId], chats: 2, count: 5 });
  const isKnown = async (bot: FleetBot, count: number) => (await all(bot, 500)).length === count;
  await waitFor(async () => (await isKnown(busy, UPDATES)) && (await isKnown(other, 5)), { timeoutMs: 60_000 });
}, 120_000);
afterAll(() => fleet?.stop(), 60_000);

const ask = (query: string, key = ADMIN_KEY) =>
  fetch(`${fleet.url}/api/updates?${query}`, { headers: { authorization: `Bearer ${key}` } });

/** A page, and what is asked for the next one; null if there is none. */
async function page(query: string, key?: string): Promise<{ updates: Past[]; next: string | null }> {
  const answer = await ask(query, key);
  expect(answer.status).toBe(200);
  const [, next = null] = /<[^>]*\?([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? [];
  return { updates: (await answer.json()) as Past[], next };
}

async function all(bot: FleetBot, limit: number, key?: string): Promise<Past[]> {
  const found: Past[] = [];
  let query: string | null = `bot_id=${bot.id}&limit=${limit}`;
  while (query !== null) {
    const { updates, next } = await page(query, key);
    found.push(...updates);
    query = next;
  }
  return found;
}

const idsOf = (updates: readonly Past[]) => updates.map(({ update_id: id }) => id);
const keyFor = async (bots: FleetBot[]) => {
  const ids = bots.map(({ id }) => id);
  const wanted = { name: 'past updates', role: 'user', bot_ids: ids };
  return fleet.rest<{ id: number; key: string }>('/api/auth/api-keys', wanted);
};

test.each([500, 100, 37])(
  'pages of %i have each update once, the newest first, also those of one millisecond',
  async (limit) => {
    const found = await all(busy, limit);
    expect(idsOf(found)).toEqual(Array.from({ length: UPDATES }, (_, at) => FIRST_ID + UPDATES - 1 - at));
    expect(new Set(found.map(({ at }) => at)).size).toBeLessThan(UPDATES / 10);
    expect(found.every(({ message }) => message !== undefined)).toBe(true);
  },
);

test('what comes while somebody reads page by page moves nothing', async () => {
  const known = idsOf(await all(other, 500));
  const first = await page(`bot_id=${other.id}&limit=2`);
  const person = await fleet.control.createPerson({});
  await fleet.control.sendMessage({ person: person.id, bot: other.platformId, text: 'just now' });
  await waitFor(async () => (await page(`bot_id=${other.id}&limit=1`)).updates[0]?.message?.text === 'just now');
  const second = await page(first.next!);
  expect([...idsOf(first.updates), ...idsOf(second.updates)]).toEqual(known.slice(0, 4));
  const third = await page(second.next!);
  expect([idsOf(third.updates), third.next]).toEqual([known.slice(4), null]);
});

test('an account sees those of its bots only, whatever cursor it brings, and no more once its key is deleted', async () => {
  const { id, key } = await keyFor([other]);
  const { next } = await page(`bot_id=${busy.id}&limit=1`);
  const cursor = new URLSearchParams(next!).get('before')!;
  const mine = idsOf(await all(other, 2));
  const seen = idsOf((await page(`bot_id=${other.id}&before=${cursor}`, key)).updates);
  expect(mine).toEqual(expect.arrayContaining(seen));
  expect(idsOf(await all(other, 2, key))).toEqual(mine);
  for (const query of [`bot_id=${busy.id}`, `bot_id=${busy.id}&limit=1&before=${cursor}`]) {
    expect((await ask(query, key)).status).toBe(403);
  }
  const begun = await page(`bot_id=${other.id}&limit=2`, key);
  await fleet.rest('/api/auth/api-keys/delete', { id });
  await waitFor(async () => (await ask(begun.next!, key)).status === 401);
});

test('a cursor or a limit that is none is refused, and a page has 500 at most', async () => {
  for (const query of ['before=x', `before=${btoa('[1]')}`, 'limit=0', 'limit=x']) {
    expect([query, (await ask(`bot_id=${busy.id}&${query}`)).status]).toEqual([query, 400]);
  }
  expect((await page(`bot_id=${busy.id}&limit=2000`)).updates).toHaveLength(500);
});
