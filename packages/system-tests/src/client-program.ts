import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { ADMIN_KEY, type TestApi } from '@flotilla/testing/test-api.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** A program of somebody who has installed the package. Its network loses the first answer to each send. */
export const CLIENT_PROGRAM = `
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
const { answer: [program], etag: none } = await flotilla.read('listPrograms', { bot_id, limit: 1 });
const { id = 0 } = program ?? {};
const { etag } = await flotilla.read('showProgram', { id });
await flotilla.call('updateProgram', { id, name: 'first' }, { ifMatch: etag });
const late: unknown = await flotilla.call('updateProgram', { id, name: 'late' }, { ifMatch: etag }).catch((error) => error);
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
  late: none === undefined && late instanceof FlotillaError && late.code,
  unreachable: unreachable instanceof FlotillaUnreachable,
  exported: (await exported.text()).includes('Once'),
}));
`;

/** Puts the package of the client, as it is published, and `program.ts` into a folder; returns where the package is. */
export async function installClient(folder: string): Promise<string> {
  await run('npm', ['run', '--silent', 'client', '--', folder], { cwd: ROOT, env: inheritedEnv(), maxBuffer: 1 << 24 });
  const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', file], { cwd: folder });
  const { name } = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8')) as { name: string };
  const installed = join(folder, 'node_modules', name);
  await mkdir(join(installed, '..'), { recursive: true });
  await rename(join(folder, 'package'), installed);
  await mkdir(join(folder, 'node_modules/@types'));
  await symlink(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  await symlink(join(ROOT, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'program.ts'), CLIENT_PROGRAM);
  return installed;
}

/** Runs the program in the folder for a new bot. Returns what it saw, and how often it sent. */
export async function runClientProgram(
  api: TestApi,
  folder: string,
  [command, ...before]: readonly [string, ...string[]],
): Promise<{ seen: unknown; sends: number }> {
  const [{ token, id: bot }, { id: person }] = [await api.platform.createBot({}), await api.platform.createPerson({})];
  await api.platform.startBot({ person, bot, quietly: true });
  const args = [...before, join(folder, 'program.ts'), api.url, ADMIN_KEY, token, String(person)];
  const { stdout } = await run(command, args, { cwd: folder });
  const { calls } = await api.platform.readCalls({ bot, method: 'sendMessage' });
  return { seen: JSON.parse(stdout), sends: calls.length };
}

/** The outcome that the program should see. */
export function seenByProgram(message: unknown, first: unknown): object {
  return {
    ...{ message, first, names: ['a', 'b', 'c', 'd', 'e'], keys: 1, tries: 2, late: 'precondition_failed' },
    ...{ refused: [400, 'bad_request', 'name'], unreachable: true, exported: true },
  };
}
