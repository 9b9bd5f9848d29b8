import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import { administer, databaseUrl, type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

type Panel = { title: string; targets?: { rawSql?: string }[] };
const oneBot = JSON.parse(read('infra/grafana/dashboards/one-bot.json')) as {
  panels: Panel[];
  templating: { list: { type: string; query: string }[] };
};
const PASSWORD = 'a-password';
/** The role and the database that the handbook prescribes. */
const OWNER = `owner_${randomBytes(6).toString('hex')}`;

let server: TestDatabase;
let ownerUrl: string;
let grafanaUrl: string;

/** Follows the handbook from the making of the database to the grants, each step as who may do no more than it needs. */
beforeAll(async () => {
  server = await testDatabase();
  const as = (role: string, url: string) => Object.assign(new URL(url), { username: role, password: PASSWORD }).href;
  const prescribed = read('docs/operations/postgres.md').match(/^ {4}create (role|database) flotilla .*;$/gm)!;
  expect(prescribed).toHaveLength(2);
  for (const statement of prescribed) {
    await administer(server.url, statement.replaceAll('flotilla', OWNER).replace("'…'", `'${PASSWORD}'`));
  }
  await administer(server.url, `create role ${OWNER}_admin login createrole password '${PASSWORD}'`);
  ownerUrl = as(OWNER, databaseUrl(server.url, OWNER));
  grafanaUrl = as('flotilla_grafana', ownerUrl);
  const db = connectDatabase({ url: ownerUrl, maxConnections: 1, queryTimeoutMs: null });
  await migrateToLatest(db);
  await db.destroy();
  const role = read('infra/grafana/readonly-role.sql').replace(":'password'", `'${PASSWORD}'`);
  await administer(as(`${OWNER}_admin`, server.url), role);
  await administer(ownerUrl, read('infra/grafana/readonly-grants.sql'));
}, 60_000);
afterAll(async () => {
  for (const statement of [
    `drop database if exists ${OWNER} with (force)`,
    'drop role if exists flotilla_grafana',
    `drop role if exists ${OWNER}_admin`,
    `drop role if exists ${OWNER}`,
  ]) {
    await administer(server.url, statement);
  }
  await server.drop();
});

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
  const variables = oneBot.templating.list.filter(({ type }) => type === 'query').map(({ query }) => query);
  expect(queries.length).toBeGreaterThan(5);
  expect(variables).toHaveLength(1);
  for (const query of [...queries, ...variables]) {
    expect(expanded(query)).not.toContain('$');
    await administer(grafanaUrl, expanded(query));
  }
});

test.each([
  'select token_sealed from bots',
  'select text from messages',
  'select payload from dead_letters',
  'delete from audit_log',
])('that role cannot: %s', async (statement) => {
  // Whoever has the role may set this; the grants are what holds it.
  const writing = `set default_transaction_read_only = off; commit; ${statement}`;
  await expect(administer(grafanaUrl, writing)).rejects.toThrow(/permission denied/);
});
