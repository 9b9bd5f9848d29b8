import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import openapiTypescript, { astToString } from 'openapi-typescript';

const ROOT = resolve(import.meta.dirname, '../../..');
const DOCUMENT = join(ROOT, 'docs/openapi.json');

/** A program of someone who knows only the API document. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

const [baseUrl = '', key = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });

const added = await client.POST('/api/bots/add', { body: { token, long_poll_enabled: true } });
if (added.error) throw new Error(added.error.error);
const { data, error, response } = await client.GET('/api/bots', { params: { query: { limit: 10 } } });
if (error) throw new Error(\`\${error.code satisfies string}: \${error.error}\`);
const bots: components['schemas']['Bot'][] = data;
const poll = await client.GET('/api/updates/poll', { params: { query: { bot_id: added.data.id, timeout: 0 } } });
const refused = await client.POST('/api/bots/validate', { body: { token: 'no token' } });
console.log(JSON.stringify({
  bots: bots.map(({ id, username, running }) => ({ id, username, running: typeof running })),
  total: response.headers.get('x-total-count'),
  updates: poll.data?.result.length,
  refused: refused.error?.code,
}));
`;

let api: TestApi;
let folder: string;

beforeAll(async () => {
  [api, folder] = await Promise.all([startTestApi(), throwAwayDir()]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const types = await openapiTypescript(new URL(`file://${DOCUMENT}`));
  await writeFile(join(folder, 'api.ts'), astToString(types));
  await writeFile(join(folder, 'program.ts'), PROGRAM);
}, 60_000);

afterAll(() => api?.stop());

/** Asynchronous, because the called api runs in this process. */
function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const child = execFile(process.execPath, args, { cwd: folder }, (_error, stdout, stderr) =>
      done({ code: child.exitCode ?? 1, stdout, stderr }),
    );
  });
}

test('a client that is generated from the document compiles', async () => {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const flags = '--noEmit --strict --exactOptionalPropertyTypes --module nodenext --allowImportingTsExtensions';
  const { code, stdout } = await run(compiler, ...flags.split(' '), '--types', 'node', 'program.ts');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
});

test('the generated client adds a bot, lists it, polls for it and understands an error', async () => {
  const { token, username } = await api.platform.createBot({});
  const child = await run('program.ts', api.url, ADMIN_KEY, token);
  expect(child.stderr).toBe('');
  expect(JSON.parse(child.stdout)).toEqual({
    bots: [{ id: expect.any(Number), username, running: 'boolean' }],
    total: '1',
    updates: 0,
    refused: 'bad_request',
  });
});
