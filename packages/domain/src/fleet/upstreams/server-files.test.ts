import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { FileRange } from '@flotilla/telegram/platform-client.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openServerFile, pathInDirectory } from './server-files.ts';

const TOKEN = '700001:AAtoken';
const OTHER = '700002:AAother';
let base: string;
let folder: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'server-files-'));
  folder = join(base, 'served');
  await mkdir(join(folder, TOKEN, 'documents'), { recursive: true });
  await mkdir(join(folder, OTHER, 'documents'), { recursive: true });
  await writeFile(join(base, 'outside.txt'), 'outside');
  await writeFile(join(folder, 'tqueue.binlog'), 'outside');
  await writeFile(join(folder, OTHER, 'documents', 'a.txt'), 'outside');
  await writeFile(join(folder, TOKEN, 'documents', 'a.txt'), '0123456789');
  await writeFile(join(folder, TOKEN, 'td.binlog'), 'outside');
  await writeFile(join(folder, TOKEN, 'documents', 'empty'), '');
  await symlink(join(base, 'outside.txt'), join(folder, TOKEN, 'documents', 'link'));
  await symlink(base, join(folder, TOKEN, 'up'));
  await symlink(join(folder, OTHER), join(folder, 'linked:bot'));
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, TOKEN, 'documents', 'pipe')]);
});
afterAll(() => rm(base, { recursive: true }));

const openOf = (path: string, part?: FileRange, directory = TOKEN) => openServerFile(folder, { directory, path, part });
async function read(path: string, part?: FileRange) {
  const opened = await openOf(path, part);
  if (opened.outcome !== 'open') return opened;
  const { status, stream, size, headers } = opened;
  return { status, size, text: (await buffer(stream)).toString(), range: headers['content-range'] };
}

test.each([
  ['documents/../../700002:AAother/documents/a.txt', TOKEN],
  ['td.binlog', TOKEN],
  ['../tqueue.binlog', TOKEN],
  ['documents/%2e%2e/../../../outside.txt', TOKEN],
  ['documents/link', TOKEN],
  ['up/outside.txt', TOKEN],
  ['up/served/tqueue.binlog', TOKEN],
  ['documents', TOKEN],
  ['documents/pipe', TOKEN],
  ['documents/a.txt\0.pdf', TOKEN],
  ['/etc/passwd', TOKEN],
  ['documents/a.txt/', TOKEN],
  ['./documents/a.txt', TOKEN],
  ['', TOKEN],
  ['documents/a.txt', 'linked:bot'],
  ['documents/a.txt', '..'],
  [`${'a/'.repeat(3000)}b`, TOKEN],
])('what leads out of the directory of the bot, or is no file, is not found: %s of %s', async (path, directory) => {
  expect(await openOf(path, undefined, directory)).toEqual({ outcome: 'refused', status: 404 });
});

test('a directory that becomes a link while files are opened shows nothing of where it leads', async () => {
  const [real, aside] = [join(folder, TOKEN, 'swapped'), join(folder, TOKEN, 'aside')];
  await mkdir(real);
  await writeFile(join(real, 'outside.txt'), 'inside');
  let swapping = true;
  const swaps = (async () => {
    while (swapping) {
      await rename(real, aside);
      await symlink(base, real);
      await rm(real);
      await rename(aside, real);
      await setImmediate();
    }
  })();
  const seen = new Set<unknown>();
  for (let times = 0; times < 400; times += 1) {
    const found = await read('swapped/outside.txt');
    seen.add('text' in found ? found.text : found.outcome);
  }
  swapping = false;
  await swaps;
  expect(seen).not.toContain('outside');
  expect(seen).toContain('inside');
});

test('a file is read whole or in part', async () => {
  const file = 'documents/a.txt';
  expect(await read(file)).toEqual({ status: 200, size: 10, text: '0123456789', range: undefined });
  expect(await read(file, { range: 'bytes=2-4' })).toEqual({
    status: 206,
    size: 3,
    text: '234',
    range: 'bytes 2-4/10',
  });
  expect(await read(file, { range: 'bytes=7-' })).toMatchObject({ status: 206, text: '789' });
  expect(await read(file, { range: 'bytes=-2' })).toMatchObject({ status: 206, text: '89' });
  expect(await read(file, { range: 'bytes=10-' })).toEqual({ outcome: 'refused', status: 416 });
  expect(await read(file, { range: 'bytes=0-1,3-4' })).toMatchObject({ status: 200, text: '0123456789' });
  expect(await read(file, { range: 'bytes=2-4', ifRange: '"another"' })).toMatchObject({ status: 200 });
  expect(await read('documents/empty')).toMatchObject({ status: 200, size: 0, text: '' });
});

test('a piece that is given back is read into again, and its bytes are those of the file', async () => {
  const bytes = randomBytes(200_001);
  await writeFile(join(folder, TOKEN, 'documents', 'pieces'), bytes);
  const opened = await openOf('documents/pieces');
  if (opened.outcome !== 'open') throw new Error(opened.outcome);
  const memories = new Set<ArrayBufferLike>();
  const copies: Buffer[] = [];
  for await (const piece of opened.stream as AsyncIterable<Buffer>) {
    copies.push(Buffer.from(piece));
    memories.add(piece.buffer);
    opened.stream.reuse!(piece);
  }
  expect(Buffer.concat(copies).equals(bytes)).toBe(true);
  expect([copies.length > memories.size, memories.size <= 2]).toEqual([true, true]);
});

test('a file that becomes shorter while it is read fails, and one that is left is closed', async () => {
  const path = join(folder, TOKEN, 'documents', 'large');
  await writeFile(path, Buffer.alloc(200_000));
  const isOpen = () => readdirSync('/proc/self/fd').some((fd) => targetOf(fd) === path);
  const [shrinking, left] = [await openOf('documents/large'), await openOf('documents/large')];
  if (shrinking.outcome !== 'open' || left.outcome !== 'open') throw new Error('not opened');
  await truncate(path, 1000);
  await expect(buffer(shrinking.stream)).rejects.toThrow('shorter');
  expect(isOpen()).toBe(true);
  left.stream.destroy();
  await once(left.stream, 'close');
  expect(isOpen()).toBe(false);
});

function targetOf(fd: string): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}

test.each([
  [`/var/lib/telegram-bot-api/${TOKEN}/documents/a.txt`, 'documents/a.txt'],
  ['documents/a.txt', 'documents/a.txt'],
  ['/etc/passwd', null],
  [`/var/lib/${OTHER}/documents/a.txt`, null],
  [`/var/lib/${TOKEN}/../../etc/passwd`, null],
])('the path that a server names becomes one below its bot: %s', (named, shown) => {
  expect(pathInDirectory(named, TOKEN)).toBe(shown);
});
