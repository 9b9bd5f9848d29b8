import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { administer, testDatabase } from './postgres.ts';

/** It waits 5 s for those who use a database that it removes. */
const SLOWER_THAN_POSTGRES_WAITS_MS = 6500;
const NO_SUCH_DATABASE = '3D000';

describe('A test database', () => {
  test('is migrated, empty, and none of the others', async () => {
    const [one, two] = await Promise.all([testDatabase(), testDatabase()]);
    const count = ({ db }: typeof one) =>
      db
        .selectFrom('bots')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
    expect(one.url).not.toBe(two.url);
    expect([await count(one), await count(two)]).toEqual([{ n: 0 }, { n: 0 }]);
    await Promise.all([one.drop(), two.drop()]);
  });

  test('is removed although a server process that uses it is slow to end', async () => {
    const { url, drop } = await testDatabase();
    const user = new pg.Client({ connectionString: url });
    user.on('error', () => {});
    await user.connect();
    const { rows } = await user.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = rows[0]!.pid;
    process.kill(pid, 'SIGSTOP');
    const goOn = () => process.kill(pid, 'SIGCONT');
    const timer = setTimeout(goOn, SLOWER_THAN_POSTGRES_WAITS_MS);
    await drop().catch((error) => {
      clearTimeout(timer);
      goOn();
      throw error;
    });
    await expect(administer(url, 'select 1')).rejects.toMatchObject({ code: NO_SUCH_DATABASE });
  });
});
