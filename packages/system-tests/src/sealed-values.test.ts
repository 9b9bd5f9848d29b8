import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

let database: TestDatabase;
let fleet: Fleet;

beforeAll(async () => {
  database = await testDatabase();
  fleet = await startFleet({ apis: 0, workers: 0 }, {}, database);
}, 60_000);
afterAll(async () => {
  await fleet.stop();
  await database.drop();
}, 60_000);

const rowOf = ({ id }: { id: number }) =>
  database.db.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('a sealed token that was moved to another row is never opened, and nobody is shown it', async () => {
  const api = await fleet.start('api');
  const [mine, other] = [await fleet.addBot(), await fleet.addBot()];
  const [before, foreign] = [await rowOf(mine), await rowOf(other)];
  const put = (token_sealed: string) =>
    database.db.updateTable('bots').set({ token_sealed }).where('id', '=', mine.id).execute();
  await put(foreign.token_sealed);
  try {
    const refused = fleet.rest('/api/bots/update', { id: mine.id, name: 'Mine' });
    await expect(refused).rejects.toThrow(/answered 500: (?!.*:AA)/);
    await waitFor(() => api.output().includes('altered or moved'));
    expect(JSON.stringify(await fleet.rest('/api/bots'))).toContain(mine.token);
  } finally {
    await put(before.token_sealed);
  }
  expect(await fleet.rest('/api/bots/update', { id: mine.id, name: 'Mine' })).toMatchObject({ token: mine.token });
}, 60_000);
