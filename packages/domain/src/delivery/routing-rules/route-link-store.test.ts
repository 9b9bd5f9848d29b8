import { createLogger } from '@flotilla/runtime/logger.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LINK_LIFE_MS, type SeenMessage } from '../../records/history/route-links.ts';
import type { LinkEntry } from '../../records/history/stream/history-codec.ts';
import { writeHistory } from '../../records/history/write-history.ts';
import { routeLinkStore } from './route-link-store.ts';

const log = createLogger({ name: 'test', level: 'silent' });

let database: TestDatabase;
let from: { id: number; registration_id: string };
let to: { id: number; registration_id: string };

beforeAll(async () => {
  database = await testDatabase();
  const stored = async () => {
    const id = await storedBot(database.db);
    return database.db
      .selectFrom('bots')
      .select(['id', 'registration_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  };
  [from, to] = [await stored(), await stored()];
});
afterAll(() => database.drop());

const seen = (botId: number, messageId: number, businessConnectionId = ''): SeenMessage => ({
  botId,
  chatId: 5,
  messageId,
  businessConnectionId,
});
let entries = 0;
const link = (source: SeenMessage, target: SeenMessage, atMs = Date.now()): LinkEntry => {
  entries += 1;
  return {
    type: 'link',
    key: `1:${entries}-0`,
    botId: from.id,
    registrationId: from.registration_id,
    atMs,
    link: { source, target },
  };
};

describe('a link between a routed message and its source', () => {
  test('is found from both sides, and keeps messages of a business connection apart', async () => {
    const [plain, business] = [seen(to.id, 10), seen(to.id, 10, 'BC')];
    const written = [link(seen(from.id, 1), plain), link(seen(from.id, 2, 'BC'), business)];
    await writeHistory({ db: database.db, log }, [...written, ...written]);
    const store = routeLinkStore(database.db);
    expect(await store.sourceOf(plain)).toEqual(seen(from.id, 1));
    expect(await store.sourceOf(business)).toEqual(seen(from.id, 2, 'BC'));
    expect(await store.targetsOf(seen(from.id, 1))).toEqual([plain]);
    expect(await store.sourceOf(seen(to.id, 11))).toBeNull();
  });

  test('of a bot that is gone is not kept, and holds nobody up', async () => {
    await writeHistory({ db: database.db, log }, [
      link(seen(from.id, 3), seen(999_999, 12)),
      link(seen(from.id, 3), seen(to.id, 12)),
    ]);
    expect(await routeLinkStore(database.db).targetsOf(seen(from.id, 3))).toEqual([seen(to.id, 12)]);
  });

  test('leads nowhere after thirty days, and is then removed', async () => {
    const longAgoMs = Date.now() - LINK_LIFE_MS - 1000;
    await writeHistory({ db: database.db, log }, [
      link(seen(from.id, 4), seen(to.id, 13), longAgoMs),
      link(seen(from.id, 5), seen(to.id, 14), longAgoMs + 60_000),
    ]);
    const store = routeLinkStore(database.db);
    expect(await store.sourceOf(seen(to.id, 13))).toBeNull();
    expect(await store.removeExpired(100)).toBe(1);
    expect(await store.removeExpired(100)).toBe(0);
    expect(await store.sourceOf(seen(to.id, 14))).toEqual(seen(from.id, 5));
  });
});
