import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, request as forward, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type S3Server, startS3Server } from '@flotilla/testing/s3-server.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CHECKSUM_FILE } from './backup-manifest.ts';
import { s3Source, s3Store } from './s3-store.ts';

const MIB = 1024 * 1024;

/** The fate of a request: it may be refused, its answer may be cut after so many bytes, or it waits. */
type Fault = { refused?: number; cutAfter?: number; held?: Promise<void> };

let s3: S3Server;
let folder: string;
let proxy: Server;
let seen: string[] = [];
let ranges: (string | undefined)[] = [];
let faultOf: (name: string) => Fault | undefined = () => undefined;

const nameOf = ({ method, url }: IncomingMessage) => {
  const { searchParams } = new URL(url ?? '/', 'http://s3');
  const kinds = ['uploads', 'uploadId', 'delete', 'list-type'].filter((kind) => searchParams.has(kind));
  return [method, ...kinds].join(' ');
};

async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = nameOf(request);
  seen.push(name);
  if (name === 'GET') ranges.push(request.headers.range);
  const { refused, cutAfter, held } = faultOf(name) ?? {};
  const body = await buffer(request);
  if (refused !== undefined) return void response.writeHead(refused).end();
  await held;
  const { method, url, headers } = request;
  const sent = forward(new URL(url ?? '/', s3.url), { method, headers }).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const content = await buffer(answer);
  seen.push(`${name} done`);
  response.writeHead(answer.statusCode!, answer.headers);
  if (cutAfter === undefined) return void response.end(content);
  response.write(content.subarray(0, cutAfter), () => response.destroy());
}

beforeAll(async () => {
  folder = await throwAwayDir();
  s3 = await startS3Server(folder, 'backups');
  proxy = createServer((request, response) => void relay(request, response).catch(() => response.destroy()));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  [seen, ranges] = [[], []];
  faultOf = () => undefined;
});

const settings = () => ({
  endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  region: 'us-east-1',
  accessKeyId: s3.accessKeyId,
  secretAccessKey: s3.secretAccessKey,
});
const place = (prefix: string) => ({ bucket: 'backups', prefix });

/** The given faults, each once, for requests of one kind. */
function faults(of: string, ...given: Fault[]): void {
  faultOf = (name) => (name === of ? given.shift() : undefined);
}

async function put(name: string, file: string, content: Buffer): Promise<void> {
  const upload = (await s3Store(settings(), place('daily')).create(name)).open(file);
  upload.end(content);
  await once(upload, 'close');
}

/** Destroys an upload in whose request of this kind the store is, and returns when it has closed. */
async function destroyDuring(kind: string, bytes: number) {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const store = s3Store(settings(), place('stopped'));
  const target = await store.create(kind.replace(/\W/g, '-'));
  faults(kind, { held });
  const upload = target.open('bots.copy.gz').on('error', () => {});
  upload.end(randomBytes(bytes));
  await waitFor(() => seen.includes(kind));
  upload.destroy(new Error('stopped'));
  const closed = once(upload, 'close').catch(() => {});
  await store.list();
  expect(upload.closed).toBe(false);
  release();
  await closed;
  await target.abandon();
  await waitFor(() => seen.includes(`${kind} done`));
  return store.list();
}

test('a download that breaks goes on where it stopped', async () => {
  const content = randomBytes(3 * MIB);
  await put('a', 'bots.copy.gz', content);
  ranges = [];
  faults('GET', { cutAfter: MIB }, { refused: 503 }, { cutAfter: MIB });
  expect((await buffer(s3Source(settings(), place('daily/a')).read('bots.copy.gz'))).equals(content)).toBe(true);
  expect(ranges[0]).toBeUndefined();
  expect(ranges.slice(1)).toEqual(Array(3).fill(expect.stringMatching(/^bytes=[1-9]\d*-$/)));
  const missing = buffer(s3Source(settings(), place('daily/a')).read('none'));
  await expect(missing).rejects.toMatchObject({ code: 'ENOENT' });
}, 60_000);

test('listing and removing are tried again', async () => {
  await put('b', CHECKSUM_FILE, Buffer.from('sums'));
  await put('c', 'bots.copy.gz', Buffer.from('rows'));
  const store = s3Store(settings(), place('daily'));
  faults('GET list-type', { refused: 503 });
  const held = (await store.list()).filter(({ name }) => name !== 'a');
  expect(held).toEqual([
    { name: 'b', unfinishedAtMs: null },
    { name: 'c', unfinishedAtMs: expect.closeTo(Date.now(), -5) },
  ]);
  faults('DELETE', { refused: 500 });
  await store.remove('b');
  faults('POST delete', { refused: 503 });
  await store.remove('c');
  expect((await store.list()).filter(({ name }) => name !== 'a')).toEqual([]);
}, 60_000);

test.each([
  ['PUT', 1],
  ['POST uploads', 17 * MIB],
  ['PUT uploadId', 17 * MIB],
  ['POST uploadId', 17 * MIB],
])(
  'an upload that is destroyed during %s leaves nothing behind',
  async (kind, bytes) => {
    expect(await destroyDuring(kind, bytes)).toEqual([]);
    const [done, aborted] = [seen.indexOf(`${kind} done`), seen.indexOf('DELETE uploadId')];
    // A whole object has no parts left.
    if (kind === 'POST uploads' || kind === 'PUT uploadId') expect(aborted).toBeGreaterThan(done);
  },
  60_000,
);
