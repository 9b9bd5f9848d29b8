import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { METHODS } from '@flotilla/contract/bot-api/methods.ts';
import { BOT_API_VERSION, UPDATE_KINDS } from '@flotilla/contract/bot-api/update-kinds.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { beforeAll, expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../../..');

let folder: string;
beforeAll(async () => {
  folder = await throwAwayDir();
});

const kinds = [...UPDATE_KINDS, 'mirage_query'].filter((kind) => kind !== 'managed_bot');
const methods: Record<string, readonly string[]> = {
  ...Object.fromEntries(Object.entries(METHODS).map(([name, { chats = [] }]) => [name, chats])),
  sendMirage: ['chat_id', 'mirage_user_id'],
  forwardMessage: ['chat_id', 'from_chat_id', 'to_chat_id'],
  getChat: [],
};
const { getMe, ...described } = methods;

/** The form in which the command reads it from a file with this name. */
function check(name: string, text: string): { status: number | null; missing: string[]; newer: string[] } {
  const path = join(folder, name);
  writeFileSync(path, text);
  const main = 'packages/system-tests/src/platform-check/main.ts';
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, path], { cwd: ROOT, encoding: 'utf8' });
  expect(stderr).toBe('');
  const lines = stdout.split('\n').filter((line) => line.startsWith('- '));
  const isNewer = (line: string) => line.includes('(newer');
  return { status, missing: lines.filter((line) => !isNewer(line)), newer: lines.filter(isNewer) };
}

const fields = (names: readonly string[]) => ({ fields: names.map((name) => ({ name })) });
const documentOf = (version: string) =>
  JSON.stringify({
    version: `Bot API ${version}`,
    methods: Object.fromEntries(Object.entries(described).map(([name, names]) => [name, fields(names)])),
    types: { Update: fields(['update_id', ...kinds]) },
  });
const client = `
type Named<Names extends string> = { [Name in Names]?: unknown };
export interface Update extends Named<${kinds.map((kind) => `'${kind}'`).join(' | ')}> { update_id: number }
export type ApiMethods<F> = {
  ${Object.entries(described)
    .map(([name, names]) => `${name}(args?: { ${names.map((one) => `${one}?: F`).join('; ')} }): true;`)
    .join('\n  ')}
};`;

const theirs = [
  '- kind mirage_query: update-kinds.ts lacks it',
  '- method sendMirage: methods.ts lacks it',
  '- parameter mirage_user_id, which names a person, of sendMirage: parameters.ts lacks it',
  '- parameter to_chat_id, which names a chat, of forwardMessage: parameters.ts lacks it',
  '- method getChat: the description lacks chat_id, one of its chats',
  '- method forwardMessage: its chats in methods.ts lack to_chat_id',
].sort();
const ours = ['- kind managed_bot: the description lacks it', '- method getMe: the description lacks it'];

test.each([
  ['a document', 'newest.json', documentOf(BOT_API_VERSION)],
  ['the types of a client', 'client.d.ts', client],
])('%s with an invented kind and method is told apart from what we know, in both directions', (_of, name, text) => {
  const { status, missing } = check(name, text);
  expect(missing.sort()).toEqual([...ours, ...theirs].sort());
  expect(status).toBe(1);
});

test('what is newer than a description is no difference', () => {
  const { status, missing, newer } = check('older.json', documentOf('9.9'));
  expect({ status, missing: missing.sort() }).toEqual({ status: 1, missing: theirs });
  expect(newer).toHaveLength(ours.length);
});
