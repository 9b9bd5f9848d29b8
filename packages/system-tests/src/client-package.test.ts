import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { ADMIN_KEY, startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '../../..');
const LARGEST = 15 * 1024;
const START_MS = 240_000;
const run = promisify(execFile);

/** A program of somebody who has installed the package. Its network loses the first answer to each send. */
const PROGRAM = `
import { createClient, FlotillaError, FlotillaUnreachable } from '@flotilla/client';

const [url = '', key = '', token = ''] = process.argv.slice(2);
const person = Number(process.argv[5]);
const tries: (string | null)[] = [];
const lossy: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const sent = new Headers(init?.headers).get('idempotency-key');
  if (sent === null || tries.push(sent) > 1) return response;
  throw new TypeError('the connection was closed');
};
const flotilla = createClient({ url: url + '/', key, fetch: lossy });
const { id: bot_id } = await flotilla.call('addBot', { token });
const { id: message } = await flotilla.call('sendMessage', { bot_id, chat_id: person, text: 'Once' });
for (const name of ['a', 'b', 'c', 'd', 'e']) await flotilla.call('addProgram', { bot_id, name });
const names: string[] = [];
for await (const program of flotilla.each('listPrograms', { bot_id, limit: 2 })) names.push(program.name);
const refused = await flotilla.call('addProgram', { bot_id, name: '' }).catch((error: unknown) => error);
const nobody = createClient({ url: 'http://127.0.0.1:1', key, retries: 0 });
const unreachable = await nobody.call('listBots', {}).catch((error: unknown) => error);
const ending = new AbortController();
let first = '';
for await (const { event } of flotilla.live(['fleet'], { signal: ending.signal })) {
  first = event;
  ending.abort();
}
const exported = await flotilla.download('exportChat', { bot_id, chat_id: person });
console.log(JSON.stringify({
  message, names, first, keys: new Set(tries).size, tries: tries.length,
  refused: refused instanceof FlotillaError && [refused.status, refused.code, refused.details[0]?.path],
  unreachable: unreachable instanceof FlotillaUnreachable,
  exported: (await exported.text()).includes('Once'),
}));
`;

let api: TestApi;
let folder: string;
let installed: string;

beforeAll(async () => {
  [api, folder] = await Promise.all([startTestApi(), throwAwayDir()]);
  await run('npm', ['run', '--silent', 'client', '--', folder], { cwd: ROOT, env: inheritedEnv(), maxBuffer: 1 << 24 });
  const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', file], { cwd: folder });
  const { name } = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8')) as { name: string };
  installed = join(folder, 'node_modules', name);
  await mkdir(join(installed, '..'), { recursive: true });
  await rename(join(folder, 'package'), installed);
  await mkdir(join(folder, 'node_modules/@types'));
  await symlink(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  await symlink(join(ROOT, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'program.ts'), PROGRAM);
}, START_MS);
afterAll(() => api?.stop());

test(
  'a program with the client compiles, and a wrong input does not',
  async () => {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const flags = '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2022';
    const compile = async (file: string) => {
      const args = [compiler, ...flags.split(' '), '--types', 'node', file];
      return run(process.execPath, args, { cwd: folder }).then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      );
    };
    expect(await compile('program.ts')).toBe('');
    await writeFile(join(folder, 'wrong.ts'), PROGRAM.replace("text: 'Once'", "txt: 'Once'"));
    expect(await compile('wrong.ts')).toContain('txt');
  },
  START_MS,
);

test(
  'it sends once though the answer is lost, walks over pages, hears events and tells errors apart',
  async () => {
    const [{ token, id: bot }, { id: person }] = [
      await api.platform.createBot({}),
      await api.platform.createPerson({}),
    ];
    await api.platform.startBot({ person, bot, quietly: true });
    const args = [join(folder, 'program.ts'), api.url, ADMIN_KEY, token, String(person)];
    const { stdout } = await run(process.execPath, args, { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      ...{
        message: expect.any(Number),
        names: ['a', 'b', 'c', 'd', 'e'],
        first: expect.stringMatching(/^(fleet|bot)$/),
        keys: 1,
        tries: 2,
      },
      ...{ refused: [400, 'bad_request', 'name'], unreachable: true, exported: true },
    });
    expect((await api.platform.readCalls({ bot, method: 'sendMessage' })).calls).toHaveLength(1);
  },
  START_MS,
);

test('it needs no other package, and is small in a bundle', async () => {
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest).not.toHaveProperty('dependencies');
  const bundle = await rolldown({ input: join(installed, 'dist/client.js') });
  const { output } = await bundle.generate({ minify: true });
  expect(Buffer.byteLength(output[0].code)).toBeLessThan(LARGEST);
});
