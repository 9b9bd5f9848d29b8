import { createLogger } from '@flotilla/runtime/logger.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LinkEntry } from '../history/history-entry.ts';
import { LINK_LIFE_MS, type MessagePlace } from '../history/route-link.ts';
import { writeHistory } from '../history/write-history.ts';
import { routeLinkStore } from './route-link-store.ts';

const log = createLogger({ name: 'test', level: 'silent' });

let database: TestDatabase;
let from: { id: number; generation: string };
let to: { id: number; generation: string };

beforeAll(async () => {
  database = await testDatabase();
  const stored = async () => {
    const id = await storedBot(database.db);
    return database.db.selectFrom('bots').select(['id', 'generation']).where('id', '=', id).executeTakeFirstOrThrow();
  };
  [from, to] = [await stored(), await stored()];
});
afterAll(() => database.drop());

const place = (botId: number, messageId: number, businessConnectionId = ''): MessagePlace => ({
  botId,
  chatId: 5,
  messageId,
  businessConnectionId,
});
let entries = 0;
const link = (source: MessagePlace, target: MessagePlace, atMs = Date.now()): LinkEntry => {
  entries += 1;
  return {
    type: 'link',
    key: `1:${entries}-0`,
    botId: from.id,
    generation: from.generation,
    atMs,
    link: { source, target },
  };
};

describe('a link between a routed message and its source', () => {
  test('is found from both sides, and keeps messages of a business connection apart', async () => {
    const [plain, business] = [place(to.id, 10), place(to.id, 10, 'BC')];
    const written = [link(place(from.id, 1), plain), link(place(from.id, 2, 'BC'), business)];
    await writeHistory({ db: database.db, log }, [...written, ...written]);
    const store = routeLinkStore(database.db);
    expect(await store.sourceOf(plain)).toEqual(place(from.id, 1));
    expect(await store.sourceOf(business)).toEqual(place(from.id, 2, 'BC'));
    expect(await store.targetsOf(place(from.id, 1))).toEqual([plain]);
    expect(await store.sourceOf(place(to.id, 11))).toBeNull();
  });

  test('of a bot that is gone is not kept, and holds nobody up', async () => {
    await writeHistory({ db: database.db, log }, [
      link(place(from.id, 3), place(999_999, 12)),
      link(place(from.id, 3), place(to.id, 12)),
    ]);
    expect(await routeLinkStore(database.db).targetsOf(place(from.id, 3))).toEqual([place(to.id, 12)]);
  });

  test('leads nowhere after thirty days, and is then removed', async () => {
    const longAgoMs = Date.now() - LINK_LIFE_MS - 1000;
    await writeHistory({ db: database.db, log }, [
      link(place(from.id, 4), place(to.id, 13), longAgoMs),
      link(place(from.id, 5), place(to.id, 14), longAgoMs + 60_000),
    ]);
    const store = routeLinkStore(database.db);
    expect(await store.sourceOf(place(to.id, 13))).toBeNull();
    expect(await store.removeExpired(100)).toBe(1);
    expect(await store.removeExpired(100)).toBe(0);
    expect(await store.sourceOf(place(to.id, 14))).toEqual(place(from.id, 5));
  });
});
