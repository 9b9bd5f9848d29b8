import { rm } from 'node:fs/promises';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { startPostgres } from './start-postgres.ts';

describe('The embedded Postgres', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await throwAwayDir();
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  test('keeps its data over an orderly stop and over a crash, and takes a new port unless it is given one', async () => {
    const first = await startPostgres({ dataDir });
    await query(first.url, 'create table kept (n int)');
    await query(first.url, 'insert into kept values (1)');
    await first.stop();

    const second = await startPostgres({ dataDir });
    await query(second.url, 'insert into kept values (2)');
    second.kill();
    await second.exited;

    const third = await startPostgres({ dataDir, port: second.port });
    expect(third.port).toBe(second.port);
    expect(await query(third.url, 'select n from kept order by n')).toEqual([{ n: 1 }, { n: 2 }]);
    await third.stop();
    await expect(query(third.url, 'select 1')).rejects.toThrow();
  });

  test('folds the case of every script, whatever the locales of the system', async () => {
    const postgres = await startPostgres({ dataDir });
    expect(await query(postgres.url, "select lower('ПРИВЕТ ÉTÉ') as text")).toEqual([{ text: 'привет été' }]);
    await postgres.stop();
  });

  test('lets nobody in without the password', async () => {
    const postgres = await startPostgres({ dataDir });
    const url = Object.assign(new URL(postgres.url), { password: 'guess' }).href;
    await expect(query(url, 'select 1')).rejects.toThrow('password authentication failed');
    await postgres.stop();
  });
});

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // The test ends the server. Without a listener that would end the test process.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
