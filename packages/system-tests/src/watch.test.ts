import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Kysely, sql } from 'kysely';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

type Panel = { title: string; targets?: { rawSql?: string }[] };
const oneBot = JSON.parse(readFileSync(join(ROOT, 'infra/grafana/dashboards/one-bot.json'), 'utf8')) as {
  panels: Panel[];
  templating: { list: { query: string }[] };
};
const role = readFileSync(join(ROOT, 'infra/grafana/readonly-role.sql'), 'utf8')
  .replaceAll(/^--.*$/gm, '')
  .replace(':password', `'a-password'`);

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await testDatabase();
  db = connectDatabase({ url: database.url, maxConnections: 1 });
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

/** Reads as Grafana's role. Roles belong to the whole server, so the transaction is rolled back. */
async function asGrafana(read: (reader: Kysely<never>) => Promise<void>): Promise<void> {
  const undo = new Error('undone');
  const done = db.transaction().execute(async (transaction) => {
    for (const statement of role.split(';').filter((text) => text.trim() !== '')) {
      await sql.raw(statement).execute(transaction);
    }
    await sql`set local role flotilla_grafana`.execute(transaction);
    await read(transaction as unknown as Kysely<never>);
    throw undo;
  });
  await done.catch((error: unknown) => {
    if (error !== undo) throw error;
  });
}

/** Replaces Grafana's macros as Grafana does. */
const expanded = (query: string) =>
  query
    .replaceAll('$bot', '1')
    .replaceAll(/\$__timeFilter\((\w+)\)/g, `$1 between now() - interval '1 day' and now()`)
    .replaceAll(/\$__unixEpochFilter\((\w+)\)/g, '$1 between 1 and 2000000000');

test('dashboards and alert rules name only what exists, and each alert has its runbook and tests', async () => {
  await expect(run(process.execPath, [join(ROOT, 'scripts/check-watch.mjs')])).resolves.toMatchObject({ stdout: '' });
});

test('the dashboard of one bot reads what there is, by the role made for it', async () => {
  const queries = oneBot.panels.flatMap((panel) => (panel.targets ?? []).map(({ rawSql }) => rawSql ?? ''));
  expect(queries.length).toBeGreaterThan(5);
  await asGrafana(async (reader) => {
    for (const query of [...queries, ...oneBot.templating.list.map((variable) => variable.query)]) {
      expect(expanded(query)).not.toContain('$');
      await sql.raw(expanded(query)).execute(reader);
    }
  });
});

test.each([
  'select token_sealed from bots',
  'select text from messages',
  'select payload from dead_letters',
  'delete from audit_log',
])('that role cannot: %s', async (statement) => {
  await expect(asGrafana(async (reader) => void (await sql.raw(statement).execute(reader)))).rejects.toThrow(
    /permission denied/,
  );
});
