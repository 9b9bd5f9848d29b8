import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { passwordCommandFault, passwordSource } from './password-source.ts';

let folder: string;

beforeAll(async () => {
  folder = await throwAwayDir();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let scripts = 0;
/** A command that runs this text with `sh`. */
async function script(text: string): Promise<string> {
  scripts += 1;
  const path = join(folder, `password-${scripts}.sh`);
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
  return path;
}
const passwordOf = async (text: string) => passwordSource('SETTING', await script(text)).read();

describe('a command', () => {
  test('is run with its arguments once a minute, or when its password was refused; its last line break is no part of it', async () => {
    const counter = join(folder, 'counter');
    const printed = await script(`echo x >> ${counter}; echo "$1 $(wc -l < ${counter})"`);
    let nowMs = 0;
    const { read, refused } = passwordSource('SETTING', `${printed} at`, { nowMs: () => nowMs });
    expect(await Promise.all([read(), read()])).toEqual(['at 1', 'at 1']);
    nowMs = 59_000;
    expect(await read()).toBe('at 1');
    nowMs = 60_000;
    expect(await read()).toBe('at 2');
    refused();
    expect(await Promise.all([read(), read()])).toEqual(['at 3', 'at 3']);
  });

  test.each([
    ['echo secret-1; exit 3', 'SETTING: the command ended with exit code 3'],
    ['echo secret-2 >&2; kill -9 $$', 'SETTING: the command was ended by SIGKILL'],
    ['true', 'SETTING: there is no password in the output'],
    ['echo secret-3; echo secret-4', 'SETTING: the output has several lines'],
    ['echo secret-5; exec sleep 60', 'SETTING: the command took longer than 3 s'],
    ['exec head -c 100000 /dev/zero', 'SETTING: the command printed more than 65536 bytes'],
  ])('that gives no password is told by how it ended, never by what it printed: %s', async (text, message) => {
    const error = await passwordOf(text).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ message, code: 'ENOPASSWORD' });
  });

  test('that is not there is told as such', async () => {
    const missing = passwordSource('SETTING', join(folder, 'nothing here'));
    await expect(missing.read()).rejects.toThrow('SETTING: the command could not be started (ENOENT)');
  });
});

test('a file that is not there yet is looked for again, and read anew as a command is run', async () => {
  const path = join(folder, 'token');
  const { read, refused } = passwordSource('SETTING', `file:${path}`);
  await expect(read()).rejects.toThrow('SETTING: the file cannot be read (ENOENT)');
  await writeFile(path, 'first\n');
  expect(await read()).toBe('first');
  await writeFile(path, 'second');
  refused();
  expect(await read()).toBe('second');
});

test.each([
  ['file:token', 'must name the file by its absolute path'],
  ['aws token | head -1', 'is run without a shell: write what needs quotes, variables or pipes into a script'],
  ['print-token --for "us"', 'is run without a shell: write what needs quotes, variables or pipes into a script'],
  ['file:/run/token', null],
  ['/opt/print-token --region eu-central-1 --user=flotilla', null],
])('what a setting may say: %s', (text, fault) => {
  expect(passwordCommandFault(text)).toBe(fault);
});
