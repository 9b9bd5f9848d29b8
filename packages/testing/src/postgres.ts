import { randomBytes } from 'node:crypto';
import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import { urlSetting } from '@flotilla/runtime/settings.ts';
import pg from 'pg';
import { z } from 'zod';

export type TestDatabase = { url: string; db: Database; drop(): Promise<void> };

/** The template of every test database; jest's global setup migrates it once. */
export const TEMPLATE = 'flotilla_template';

const FILL_TIMEOUT_MS = 30_000;

/** Postgres waits 5 s for those that use a database. On a busy machine a server process that was told to end may need longer. */
const OBJECT_IN_USE = '55006';
const ATTEMPTS_WHILE_IN_USE = 5;

/** Clones a migrated, empty database for this test file from the template. drop() closes and removes it. */
export async function testDatabase(): Promise<TestDatabase> {
  const { TEST_POSTGRES_URL } = readSettings(z.object({ TEST_POSTGRES_URL: urlSetting('postgres') }));
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(TEST_POSTGRES_URL, `create database ${name} template ${TEMPLATE}`);
  const url = databaseUrl(TEST_POSTGRES_URL, name);
  const db = connectTestDatabase(url);
  return {
    url,
    db,
    drop: async () => {
      await db.destroy();
      await administer(TEST_POSTGRES_URL, `drop database if exists ${name} with (force)`);
    },
  };
}

/** With time for tests to insert far more rows per statement than the service does. */
export function connectTestDatabase(url: string): Database {
  return connectDatabase({ url, maxConnections: 10, queryTimeoutMs: FILL_TIMEOUT_MS });
}

/** The URL of another database on the same server. */
export function databaseUrl(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** Runs one statement on a separate connection, again while another one still uses the database that it makes or removes. */
export async function administer(url: string, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(url, statement);
    } catch (error) {
      if ((error as { code?: string }).code !== OBJECT_IN_USE || attempt === ATTEMPTS_WHILE_IN_USE) throw error;
    }
  }
}

async function runOnce(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
