import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chatLanes } from './chat-lanes.ts';
import { tail } from './tail.ts';
import { readTailOptions, type TailOptions, tailCommand } from './tail-options.ts';

const KEY = 'flt_a_key_of_this_test';

/** An entry of the stream: what its event says, or that it is too large to be shown. */
type Entry = { name: string; data: string } | 'omitted';

/** A server that streams entries as Flotilla does: ids, comments, `Last-Event-ID`, `skipped`, `gap`. */
class StreamServer {
  readonly server: Server;
  readonly lastIds: (string | undefined)[] = [];
  secretToken = 'a-secret';
  /** Answers further streams with this status. */
  status = 200;
  readonly #entries: Entry[] = [];
  #open: ServerResponse | null = null;

  constructor() {
    this.server = createServer((request, response) => this.#answer(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  add(...entries: Entry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      if (this.#open !== null) this.#send(this.#open, this.#entries.length);
    }
  }

  /** Adds entries that the open stream has no room for, and says so. */
  skip(...entries: Entry[]): void {
    this.#entries.push(...entries);
    this.#event('skipped', `{"count":${entries.length}}`);
  }

  gap(): void {
    this.#event('gap', '{}');
  }

  /** A position has several spellings, as it also names other things than the last entry. */
  #id(number: number): string {
    return `${number}-${this.lastIds.length}`;
  }

  /** Entries that are not shown, a comment with the position after them, and an update without a position. */
  hide(marker: Exclude<Entry, string>, ...entries: Entry[]): void {
    this.#entries.push(...entries);
    const marked = `event: ${marker.name}\ndata: ${marker.data}\n\n`;
    this.#open?.write(`:\nid: ${this.#id(this.#entries.length)}\n\n${marked}`);
  }

  cut(): void {
    this.#open?.destroy();
    this.#open = null;
  }

  #event(name: string, data: string): void {
    this.#open?.write(`event: ${name}\ndata: ${data}\nid: ${this.#id(this.#entries.length)}\n\n`);
  }

  #send(response: ServerResponse, number: number): void {
    const entry = this.#entries[number - 1]!;
    if (entry === 'omitted') response.write(`event: skipped\ndata: {"count":1}\nid: ${this.#id(number)}\n\n`);
    else response.write(`event: ${entry.name}\r\ndata: ${entry.data}\r\nid: ${this.#id(number)}\r\n\r\n`);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return void response.writeHead(401).end('{"error":"no key"}');
    if (request.url?.startsWith('/api/bots/show')) {
      const bot = { name: 'Shop', username: 'shop_bot', secret_token: this.secretToken };
      return void response.end(JSON.stringify(bot));
    }
    if (this.status !== 200) return void response.writeHead(this.status).end('{"error":"not now"}');
    const lastId = request.headers['last-event-id'] as string | undefined;
    this.lastIds.push(lastId);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const after = lastId === undefined ? this.#entries.length : Number.parseInt(lastId, 10);
    response.write(`retry: 10\nid: ${this.#id(after)}\n\nevent: bot\ndata: {}\n\n`);
    for (let number = after + 1; number <= this.#entries.length; number += 1) this.#send(response, number);
    this.#open = response;
  }
}

const update = (id: number, chat: number | null = 5, kind = 'message'): Entry => ({
  name: 'update',
  data: `{"bot_id":5,"update_id":${id},"kind":"${kind}"${chat === null ? '' : `,"chat_id":${chat}`},"update":{"update_id":${id},"${kind}":{"big":9007199254740993}}}`,
});

let stream: StreamServer;
let program: TestBackend;
let lines: string[];
let stopping: AbortController;
let running: Promise<void>;

beforeEach(async () => {
  stream = new StreamServer();
  await new Promise<void>((resolve) => stream.server.listen(0, '127.0.0.1', resolve));
  lines = [];
  stopping = new AbortController();
  running = Promise.resolve();
});
afterEach(async () => {
  stopping.abort();
  await running.catch(() => undefined);
  await program?.stop();
  stream.server.closeAllConnections();
  stream.server.close();
});

const answer200 = (_request: unknown, response: ServerResponse) => void response.end();

/** Starts a tail with a local program, and waits until it streams. */
async function start(given: Partial<TailOptions> = {}, handler: Parameters<typeof startBackend>[0] = answer200) {
  program = await startBackend(handler);
  const filters = { secret: null, chatId: null, kinds: null, once: false };
  const options = { api: stream.url, key: KEY, botId: 5, to: program.url, ...filters, ...given };
  running = tail(options, (line) => lines.push(line), stopping.signal);
  await waitFor(() => stream.lastIds.length === 1);
}
const posted = () => program.requests.map(({ text }) => (JSON.parse(text) as { update_id: number }).update_id);

describe('a tail', () => {
  test('posts each update as it is, with the secret of the bot, and prints a line for it', async () => {
    await start();
    stream.add(update(7), { name: 'call', data: '{"method":"sendMessage"}' }, update(8, null, 'poll'));
    await program.waitForRequests(2);
    expect(program.requests[0]).toMatchObject({
      method: 'POST',
      text: '{"update_id":7,"message":{"big":9007199254740993}}',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': 'a-secret' },
    });
    await waitFor(() => lines.length === 3);
    expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d {2}7 {2}message +chat 5 +200 {2}\d+ ms$/);
    stopping.abort();
    await running;
    expect(lines.at(-1)).toBe('2 delivered, 0 refused, 0 left.');
    expect(lines.join('\n')).not.toContain(KEY);
  });

  test('keeps the order of a chat, while other chats go on', async () => {
    const held: ServerResponse[] = [];
    await start({}, (request, response) => {
      if (request.text.includes('"update_id":1,')) held.push(response);
      else response.end();
    });
    stream.add(update(1, 5), update(2, 5), update(3, -7), update(4, 5));
    await program.waitForRequests(2);
    expect(posted()).toEqual([1, 3]);
    held[0]?.end('{"method":"sendMessage","chat_id":5,"text":"x"}');
    await program.waitForRequests(4);
    expect(posted()).toEqual([1, 3, 2, 4]);
    await waitFor(() => lines.some((line) => line.includes('its call of sendMessage is not made')));
  });

  test('goes on after the last event when the stream breaks off, or the server is away', async () => {
    await start();
    stream.add(update(1), update(2));
    await program.waitForRequests(2);
    stream.hide(update(3) as Exclude<Entry, string>, { name: 'attempt', data: '{}' });
    await program.waitForRequests(3);
    stream.status = 503;
    stream.cut();
    await waitFor(() => lines.some((line) => line.startsWith('! Flotilla is away')));
    stream.add(update(4));
    stream.status = 200;
    await program.waitForRequests(4);
    expect(posted()).toEqual([1, 2, 3, 4]);
    expect(stream.lastIds).toEqual([undefined, '3-1']);
    expect(lines).toContain('Connected again.');
  });

  test('reads again what the server skipped, and says what it cannot get', async () => {
    await start();
    stream.add(update(1));
    await program.waitForRequests(1);
    stream.skip(update(2), update(3));
    await program.waitForRequests(3);
    stream.add(update(4), 'omitted', update(5));
    await program.waitForRequests(5);
    expect(posted()).toEqual([1, 2, 3, 4, 5]);
    expect(stream.lastIds).toEqual([undefined, '1-1', '4-2']);
    expect(lines.filter((line) => line.startsWith('!'))).toEqual([
      expect.stringContaining('! 1 updates or calls are too'),
    ]);
  });

  test('tells of a gap in which updates may be missing, and of no other', async () => {
    await start();
    stream.add(update(1));
    stream.gap();
    stream.add(update(2));
    stream.gap();
    stream.add(update(5));
    await program.waitForRequests(3);
    stream.gap();
    stream.add({ name: 'bot', data: '{}' }, update(6));
    stream.gap();
    await program.waitForRequests(4);
    stream.hide(update(7) as Exclude<Entry, string>);
    stream.gap();
    await program.waitForRequests(5);
    stopping.abort();
    await running;
    const notices = lines.filter((line) => line.startsWith('!'));
    expect(notices[0]).toMatch(/^! Updates may be missing after 2 and before 5:/);
    // The last gap may be read before the end or after it.
    expect(notices.slice(1).filter((line) => !line.startsWith('! Updates may be missing after 7:'))).toEqual([]);
  });

  test('waits for a program that is not there, and posts everything once it is', async () => {
    await start();
    stream.add(update(1));
    await program.waitForRequests(1);
    const port = Number(new URL(program.url).port);
    await program.stop();
    stream.add(update(2), update(3), update(4, -7));
    await waitFor(() => lines.some((line) => line.includes('is not there (ECONNREFUSED)')));
    const got: string[] = [];
    const again = createServer((request, response) => {
      request.on('data', (bytes: Buffer) => got.push(bytes.toString())).on('end', () => response.end());
    });
    await new Promise<void>((resolve) => again.listen(port, '127.0.0.1', resolve));
    await waitFor(() => got.length === 3);
    const ids = got.map((text) => (JSON.parse(text) as { update_id: number }).update_id);
    expect(ids.filter((id) => id !== 4)).toEqual([2, 3]);
    await waitFor(() => lines.some((line) => line.endsWith('answers again.')));
    stopping.abort();
    await running;
    again.closeAllConnections();
    again.close();
  });

  test('takes any status for an answer, but not what a proxy says for a program that is not there', async () => {
    const statuses = [502, 404, 200];
    await start({}, (_request, response) => void response.writeHead(statuses.shift() ?? 200).end());
    stream.add(update(1), update(2));
    await program.waitForRequests(3);
    expect(posted()).toEqual([1, 1, 2]);
    await waitFor(() => lines.filter((line) => /(404|200) {2}\d+ ms/.test(line)).length === 2);
  });

  test('leaves out other kinds, and ends after the first update when it is told so', async () => {
    await start({ kinds: new Set(['callback_query']), once: true });
    stream.add(update(1), update(2, 5, 'callback_query'), update(3, 5, 'callback_query'));
    await running;
    expect(posted()).toEqual([2]);
    expect(lines.at(-1)).toBe('1 delivered, 0 refused, 0 left.');
  });

  test('says that a key does not show the secret, and takes it from an option', async () => {
    stream.secretToken = '****';
    await start();
    stream.add(update(1));
    const [first] = await program.waitForRequests(1);
    expect(first?.headers).not.toHaveProperty('x-telegram-bot-api-secret-token');
    expect(lines[0]).toMatch(/^! This key does not show the secret token/);
    stopping.abort();
    await running;
    await program.stop();
    stopping = new AbortController();
    stream.lastIds.length = 0;
    await start({ secret: 'mine' });
    stream.add(update(2));
    const [second] = await program.waitForRequests(1);
    expect(second?.headers).toMatchObject({ 'x-telegram-bot-api-secret-token': 'mine' });
  });

  test('ends with a sentence when the server refuses', async () => {
    const options = { api: stream.url, botId: 5, to: 'http://127.0.0.1:9', chatId: null, kinds: null, once: false };
    const withKey = (key: string) => tail({ ...options, key, secret: null }, () => undefined, stopping.signal);
    await expect(withKey('flt_wrong')).rejects.toThrow('refuses (401): no key');
    stream.status = 403;
    await expect(withKey(KEY)).rejects.toThrow('refuses (403): not now');
  });
});

test('lanes have room until their limit, and again when updates are done', async () => {
  const ends: (() => void)[] = [];
  const lanes = chatLanes(
    { atOnce: 2, updates: 3, bytes: 1000 },
    () => new Promise<void>((resolve) => ends.push(resolve)),
  );
  const of = (id: number, chatId: number) => ({ id, kind: 'message', chatId, raw: '{}' });
  lanes.add(of(1, 1));
  lanes.add(of(2, 2));
  await lanes.room();
  lanes.add(of(3, 3));
  let hasRoom = false;
  const room = lanes.room().then(() => {
    hasRoom = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([hasRoom, ends.length]).toEqual([false, 2]);
  ends.shift()?.();
  await room;
  await waitFor(() => ends.length === 2);
  for (const end of ends) end();
  await lanes.empty();
  expect(lanes.waiting()).toBe(0);
});

describe('the options', () => {
  const GOOD = ['--bot', '5', '--to', 'http://localhost:3000', '--key', 'flt_x'];
  const read = (args: string[]): TailOptions => {
    let options: TailOptions | null = null;
    const command = tailCommand((given) => {
      options = readTailOptions(given);
    });
    command
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .parse(args, { from: 'user' });
    return options!;
  };

  test('have defaults', () => {
    expect(read(GOOD)).toEqual({
      ...{ api: 'http://localhost:8080', key: 'flt_x', botId: 5, to: 'http://localhost:3000' },
      ...{ secret: null, chatId: null, kinds: null, once: false },
    });
    const all = [...GOOD, '--chat', '-100', '--kinds', 'message,poll', '--once', '--api', 'https://bots.example/'];
    expect(read(all)).toMatchObject({
      ...{ chatId: -100, kinds: new Set(['message', 'poll']), once: true, api: 'https://bots.example' },
    });
  });

  test.each([
    [[], '--bot is missing'],
    [GOOD.with(1, 'five'), '--bot must be an id'],
    [GOOD.with(3, 'localhost:3000'), '--to must be a URL'],
    [GOOD.with(5, 'something-else'), '--key is not an API key'],
    [[...GOOD, '--chta', '1'], "unknown option '--chta'"],
    [[...GOOD, 'more'], 'too many arguments'],
  ])('that are wrong are named: %j', (args, fault) => {
    expect(() => read(args)).toThrow(fault);
    expect(() => read(args)).not.toThrow('something-else');
  });
});
