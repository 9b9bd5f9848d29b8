import { createLogger } from '@flotilla/runtime/logger.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { hitsText, readHits } from './rule-hits.ts';
import { type HitsEntry, readRecord } from './stream/history-codec.ts';
import { writeHistory } from './write-history.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const AT_MS = Date.UTC(2026, 0, 2);

let database: TestDatabase;
let bot: { id: number; registration_id: string };
let rules: [number, number];

beforeAll(async () => {
  database = await testDatabase();
  const id = await storedBot(database.db);
  const bots = database.db.selectFrom('bots').select(['id', 'registration_id']);
  bot = await bots.where('id', '=', id).executeTakeFirstOrThrow();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.db.deleteFrom('routes').execute();
  const rule = { source_bot_id: bot.id, target_bot_id: bot.id, condition_type: 'all', action: 'drop' } as const;
  const none = { candidate_bot_ids: null, action_minutes: null, target_chat_id: null, position: null };
  const added = database.db.insertInto('routes').values([
    { ...rule, ...none },
    { ...rule, ...none },
  ]);
  const [one, other] = await added.returning('id').execute();
  rules = [one!.id, other!.id];
});

/** A record of the stream of shard 3: its id, when it was made, and which rules acted. */
const record = (id: string, ruleIds: number[], atMs = AT_MS): HitsEntry => {
  const fields = [
    't',
    'hits',
    'b',
    String(bot.id),
    'g',
    bot.registration_id,
    'a',
    String(atMs),
    'h',
    hitsText(ruleIds),
  ];
  return readRecord(3, id, fields) as HitsEntry;
};
const stored = () =>
  database.db.selectFrom('route_hits').select(['route_id', 'hits', 'last_hit_at']).orderBy('route_id').execute();

test('records are added up, in one batch and over several, and the newest time stays', async () => {
  const [one, other] = rules;
  await writeHistory({ db: database.db, log }, [record('7-0', [one, one]), record('7-1', [one, other], AT_MS + 5)]);
  await writeHistory({ db: database.db, log }, [record('7-2', [one], AT_MS + 2)]);
  expect(await stored()).toEqual([
    { route_id: one, hits: 4, last_hit_at: new Date(AT_MS + 5) },
    { route_id: other, hits: 1, last_hit_at: new Date(AT_MS + 5) },
  ]);
});

test('a batch that is written again adds only what is new, also when two workers write it at once', async () => {
  const [one, other] = rules;
  const batch = [record('9-9', [one, other]), record('9-10', [one]), record('10-0', [one])];
  await writeHistory({ db: database.db, log }, batch.slice(0, 2));
  await Promise.all([1, 2, 3].map(() => writeHistory({ db: database.db, log }, batch)));
  expect(await stored()).toMatchObject([
    { route_id: one, hits: 3 },
    { route_id: other, hits: 1 },
  ]);
});

test('those of a deleted rule are dropped, and go with it', async () => {
  const [one, other] = rules;
  await writeHistory({ db: database.db, log }, [record('7-0', [one, other])]);
  await database.db.deleteFrom('routes').where('id', '=', one).execute();
  expect(await writeHistory({ db: database.db, log }, [record('8-0', [one, other])])).toMatchObject({ refused: 0 });
  expect(await stored()).toMatchObject([{ route_id: other, hits: 2 }]);
});

test.each(['5', '5 1 8', '5 x', ' 5 1', '5 -1'])('a record with the hits "%s" is malformed', (text) => {
  expect(() => readHits(text)).toThrow('no pairs of numbers');
  const fields = ['t', 'hits', 'b', '1', 'g', 'g1', 'a', '1', 'h', text];
  expect(readRecord(3, '7-0', fields)).toMatchObject({ type: 'malformed' });
});

test('hits are written as pairs of a rule and how often it acted', () => {
  expect(hitsText([])).toBe('');
  expect(readHits(hitsText([8, 5, 8]))).toEqual([
    { ruleId: 8, count: 2 },
    { ruleId: 5, count: 1 },
  ]);
});
