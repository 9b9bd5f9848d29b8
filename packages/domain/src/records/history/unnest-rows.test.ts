import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { unnestRows } from './unnest-rows.ts';

type Row = { text: string | null; count: number | null; is: boolean; at: Date };

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Database;

beforeAll(async () => {
  database = await testDatabase();
  db = connectDatabase({ url: database.url, maxConnections: 1 });
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

function passedThrough(rows: Row[]) {
  return unnestRows(
    [...rows],
    [
      ['text', (row) => row.text],
      ['bigint', (row) => row.count],
      ['boolean', (row) => row.is],
      ['timestamptz', (row) => row.at],
    ],
  ).then((given) => sql<Row>`select * from ${given} as r (text, count, "is", at)`.execute(db));
}

test('every text comes through as it is', async () => {
  const texts = [
    '',
    ' ',
    'NULL',
    '"',
    '\\',
    '\\"',
    '{}',
    'a,b',
    "it's",
    '{"a":["\\u0041"]}',
    'two\nlines\r\t',
    '👍 Ünïcode',
  ];
  const at = new Date('2026-01-02T03:04:05.678Z');
  const rows = texts.map((text, count) => ({ text, count, is: count % 2 === 0, at }));
  expect((await passedThrough(rows)).rows).toEqual(rows);
});

test('null, numbers of 53 bits, the last date and no row at all come through', async () => {
  const at = new Date(0);
  const rows = [
    { text: null, count: null, is: true, at },
    { text: null, count: -Number.MAX_SAFE_INTEGER, is: false, at: new Date(8.64e15) },
  ];
  expect((await passedThrough(rows)).rows).toEqual(rows);
  expect((await passedThrough([])).rows).toEqual([]);
});

test('rows are taken out, so that who waits for the statement does not keep them', async () => {
  const rows = [{ count: 1 }, { count: 2 }];
  await unnestRows(rows, [['bigint', ({ count }) => count]]);
  expect(rows).toEqual([]);
});
