import { createLogger } from '@flotilla/runtime/logger.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deliveryJobStore, filterOfJob } from './delivery-job-store.ts';
import { continueDeliveryJobs } from './run-delivery-job.ts';

const HOUR_MS = 3_600_000;

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('a job with a condition of a later release is left to that release for a day, and ends then', async () => {
  const { db } = database;
  const jobs = deliveryJobStore(db);
  const { id } = await jobs.add({
    ...{ action: 'discard', bot_ids: null, filter: '{"of_later":true}', actor: '{}', account_id: null },
    ...{ upto_id: 9, matched: 5, audited_bot: null, resume_at: new Date(0), finished_at: null },
  });
  const look = (clock: { nowMs(): number }) =>
    continueDeliveryJobs(
      { db, clock, log: createLogger({ name: 'test', level: 'silent' }) } as Parameters<typeof continueDeliveryJobs>[0],
      new AbortController().signal,
    );
  const nowMs = Date.now();
  await look({ nowMs: () => nowMs });
  expect(await jobs.find(id)).toMatchObject({ finished_at: null, resume_at: new Date(nowMs + 60_000), refused: 0 });
  await look({ nowMs: () => nowMs + 25 * HOUR_MS });
  expect(await jobs.find(id)).toMatchObject({ finished_at: expect.any(Date), done: 0, refused: 5 });
});

test('A filter that a release before stored is read by its newer names', () => {
  const stored = { programId: 3, reasonCode: 'expired', sinceS: 5, untilS: 9, status: '5xx', ids: [1] };
  expect(filterOfJob({ filter: JSON.stringify(stored) })).toEqual({
    ...{ program_id: 3, reason_code: 'expired', since: 5, until: 9, status: '5xx', ids: [1] },
  });
});
