import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type RawConnection, rawConnection } from '@flotilla/testing/raw-http.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHttpServer } from './create-http-server.ts';
import { type Drain, drainable } from './drain-server.ts';
import type { SuspendedRequest } from './http-stream.ts';
import { suspendRequest } from './poll-connections.ts';

type Serving = {
  server: Server;
  port: number;
  drain: Drain;
  /** The socket of the newest connection. */
  socket(): Socket;
  /** Requests to /poll that wait to be suspended or answered, oldest first. */
  polls: { request: IncomingMessage; response: ServerResponse }[];
};

const BODY = '{"ok":true}';

/** Answers everything but polls at once with the request's method, path and body. */
async function serve(keepAliveMs?: number): Promise<Serving> {
  const polls: Serving['polls'] = [];
  const log = createLogger({ name: 'test', level: 'silent' });
  const {
    server,
    connections: open,
    polls: connections,
  } = createHttpServer(
    (request, response) => {
      let body = '';
      request.on('data', (piece) => {
        body += String(piece);
      });
      request.on('end', () => {
        if (request.url?.startsWith('/poll')) polls.push({ request, response });
        else answer(response, `${request.method} ${request.url} ${body}`);
      });
    },
    { maxConnections: 100, log, isPoll: (start) => /^\w+ \/poll/.test(start), ...(keepAliveMs && { keepAliveMs }) },
  );
  const drain = drainable(server, open, connections);
  let newest: Socket | undefined;
  server.on('connection', (stream) => {
    if (stream instanceof Socket) newest = stream;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port, drain, socket: () => newest as Socket, polls };
}

function answer(response: ServerResponse, body = BODY): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': String(body.length) });
  response.end(body);
}

async function stop({ drain }: Serving): Promise<void> {
  await drain.refuse();
  await drain.finish({ idleMs: 0, allMs: 0 });
}

let serving: Serving;
let client: RawConnection;

beforeAll(async () => {
  serving = await serve();
});
afterAll(async () => {
  await stop(serving);
});
beforeEach(async () => {
  client?.end();
  client = await rawConnection(serving.port);
  serving.polls.length = 0;
});

const POLL = 'GET /poll HTTP/1.1\r\nHost: h\r\n\r\n';
const OTHER = 'POST /other HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody';

async function heldPoll(of: Serving = serving): Promise<ServerResponse> {
  await waitFor(() => of.polls.length > 0, { message: 'the poll to be held' });
  return (of.polls.shift() as Serving['polls'][number]).response;
}
async function suspend(of: Serving = serving): Promise<SuspendedRequest> {
  const suspended = suspendRequest(await heldPoll(of));
  expect(suspended).not.toBeNull();
  return suspended as SuspendedRequest;
}
async function received(pattern: RegExp): Promise<string> {
  const text = await client.waitFor(pattern);
  client.clear();
  return text.replace(/Date: .*/, 'Date: …');
}
const END = /\{"ok":true\}$/;

describe('a request that was suspended', () => {
  test('is answered as one that was not', async () => {
    client.send(POLL);
    answer(await heldPoll());
    const usual = await received(END);
    client.send(POLL);
    answer((await suspend()).resume());
    expect((await received(END)).split('\r\n').sort()).toEqual(usual.split('\r\n').sort());
  });

  test('leaves its connection to whatever comes next', async () => {
    for (let round = 0; round < 3; round += 1) {
      client.send(POLL);
      answer((await suspend()).resume());
      await received(END);
      client.send(OTHER);
      expect(await received(/\r\n\r\n.+/)).toMatch(/POST \/other body$/);
    }
    client.send(POLL);
    answer(await heldPoll());
    await received(END);
  });

  test('leaves no limit of an idle connection to the next one', async () => {
    client.send(POLL);
    answer((await suspend()).resume());
    await received(END);
    expect(serving.socket().timeout).toBeGreaterThan(0);
    client.send(POLL);
    const response = await heldPoll();
    expect(serving.socket().timeout).toBe(0);
    answer(response);
    await received(END);
  });

  test('is answered before a request that the client sent in the meantime', async () => {
    client.send(POLL);
    const suspended = await suspend();
    client.send(OTHER.slice(0, 30));
    client.send(OTHER.slice(30) + OTHER);
    const response = suspended.resume();
    client.send(OTHER);
    answer(response);
    const text = await received(/(\/other body[\s\S]*){3}$/);
    expect(text.match(/\{"ok":true\}|POST \/other body/g)).toEqual([BODY, ...Array(3).fill('POST /other body')]);
  });

  test('may have a body, also in pieces of its own', async () => {
    client.send('POST /poll HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n');
    client.send('bo');
    client.send('dy');
    answer((await suspend()).resume());
    await received(END);
  });

  test.each<[string, (connection: RawConnection) => void]>([
    ['ends its connection', ({ socket }) => socket.end()],
    ['resets it', ({ socket }) => socket.resetAndDestroy()],
  ])('tells when the client %s, and its answer goes nowhere', async (_what, leave) => {
    client.send(POLL);
    const suspended = await suspend();
    let gone = 0;
    suspended.onGone(() => {
      gone += 1;
    });
    expect(gone).toBe(0);
    leave(client);
    await waitFor(() => gone === 1, { message: 'the client to be missed' });
    const response = suspended.resume();
    expect(response.destroyed).toBe(true);
    answer(response);
    expect(gone).toBe(1);
  });

  test('tells that also of a client that sent more, in several pieces', async () => {
    client.send(POLL);
    const suspended = await suspend();
    let isGone = false;
    suspended.onGone(() => {
      isGone = true;
    });
    for (let pieces = 2; pieces <= 4; pieces += 1) {
      client.send(POLL);
      await waitFor(() => serving.socket().bytesRead === pieces * POLL.length, { message: 'the piece to be read' });
    }
    client.socket.end();
    await waitFor(() => isGone, { message: 'the client to be missed' });
  });

  test('takes few small pieces that a client sends ahead, and answers all of them', async () => {
    client.send(POLL);
    const suspended = await suspend();
    for (let at = 0; at < 16; at += 1) {
      expect(serving.socket().isPaused()).toBe(false);
      client.send(OTHER.slice(at, at + 1));
      await waitFor(() => serving.socket().bytesRead === POLL.length + at + 1, { message: 'the piece to be read' });
    }
    await waitFor(() => serving.socket().isPaused(), { message: 'the connection to be read no further' });
    client.send(OTHER.slice(16));
    answer(suspended.resume());
    await received(/\{"ok":true\}.*POST \/other body$/s);
  });

  test('takes no more than it must of what a client sends ahead, and answers all of it', async () => {
    client.send(POLL);
    const suspended = await suspend();
    const large = `POST /other HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n${'x'.repeat(3_000_000)}`;
    client.send(large);
    await waitFor(() => serving.socket().bytesRead >= 65_536, { message: 'the first bytes to be read' });
    expect(serving.socket().bytesRead).toBeLessThan(300_000);
    answer(suspended.resume());
    await client.waitFor(/POST \/other x{3000000}$/);
  });

  test('leaves what was sent ahead when its connection ends with the answer', async () => {
    client.send(POLL);
    const suspended = await suspend();
    client.send(POLL);
    await waitFor(() => serving.socket().bytesRead === 2 * POLL.length);
    answer(suspended.resume());
    serving.socket().destroy();
    await client.waitForClose();
    client = await rawConnection(serving.port);
    client.send(OTHER);
    await received(/\/other body$/);
    expect(serving.polls).toEqual([]);
  });

  test('gives back what it had of node:http', async () => {
    client.send(POLL);
    const response = await heldPoll();
    const { socket } = response;
    suspendRequest(response);
    await waitFor(() => response.closed && socket?.destroyed === true);
    expect((socket as unknown as { parser: unknown }).parser).toBeNull();
    expect(client.closed()).toBe(false);
  });
});

describe('a request is not suspended', () => {
  test.each([
    ['whose connection began with another request', OTHER + POLL],
    ['that another one follows', POLL + OTHER],
    ['that the beginning of another one follows', POLL + OTHER.slice(0, 10)],
    ['of HTTP/1.0', 'GET /poll HTTP/1.0\r\n\r\n'],
    ['that ends its connection', POLL.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')],
    [
      'whose body comes in chunks',
      'POST /poll HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    ],
  ])('%s', async (_what, sent) => {
    client.send(sent);
    const response = await heldPoll();
    expect(suspendRequest(response)).toBeNull();
    answer(response);
    await received(/\{"ok":true\}/);
  });

  test('whose answer has begun', async () => {
    client.send(POLL);
    const response = await heldPoll();
    response.writeHead(200, { 'Content-Length': '2' }).flushHeaders();
    expect(suspendRequest(response)).toBeNull();
    response.end('{}');
    await received(/\{\}$/);
  });

  test('before its turn', async () => {
    client.send(POLL + POLL);
    const first = await heldPoll();
    const second = await heldPoll();
    expect([suspendRequest(second), suspendRequest(first)]).toEqual([null, null]);
    answer(second);
    answer(first);
    await received(/(\{"ok":true\}[\s\S]*){2}$/);
  });
});

describe('a drained server', () => {
  test('ends a connection with the answer of its suspended request, and those without a request at once', async () => {
    const draining = await serve();
    const [waiting, rests, silent] = await Promise.all([1, 2, 3].map(() => rawConnection(draining.port)));
    rests!.send(POLL);
    answer((await suspend(draining)).resume());
    await rests!.waitFor(END);
    waiting!.send(POLL);
    const suspended = await suspend(draining);
    await draining.drain.refuse();
    const finished = draining.drain.finish({ idleMs: 0, allMs: 20_000 });
    await Promise.all([rests!.waitForClose(), silent!.waitForClose()]);
    expect(waiting!.closed()).toBe(false);
    answer(suspended.resume());
    expect(await waiting!.waitForClose()).toMatch(/\r\nConnection: close\r\n[\s\S]*\{"ok":true\}$/);
    await finished;
  });

  test('ends a suspended request when its time is up', async () => {
    const draining = await serve();
    const waiting = await rawConnection(draining.port);
    waiting.send(POLL);
    let gone = false;
    (await suspend(draining)).onGone(() => {
      gone = true;
    });
    await stop(draining);
    expect(await waiting.waitForClose()).toBe('');
    expect(gone).toBe(true);
  });

  test('suspends nothing', async () => {
    const draining = await serve();
    const waiting = await rawConnection(draining.port);
    waiting.send(POLL);
    const response = await heldPoll(draining);
    await draining.drain.refuse();
    expect(suspendRequest(response)).toBeNull();
    answer(response);
    expect(await waiting.waitForClose()).toMatch(/connection: close/i);
    await draining.drain.finish({ idleMs: 0, allMs: 20_000 });
  });
});

/** Each waits for a limit on a server of its own. */
describe('a connection of polls is cut', () => {
  const PATIENCE = { timeoutMs: 45_000 };

  test.concurrent('when it has rested long enough after an answer', async () => {
    const own = await serve(1000);
    const resting = await rawConnection(own.port);
    resting.send(POLL);
    answer((await suspend(own)).resume());
    await waitFor(() => resting.closed(), PATIENCE);
    await stop(own);
  });

  test.concurrent('when it has rested long enough after an answer of a request that was not suspended', async () => {
    const own = await serve(1000);
    const resting = await rawConnection(own.port);
    resting.send(POLL);
    answer(await heldPoll(own));
    await waitFor(() => resting.closed(), PATIENCE);
    await stop(own);
  });

  test.concurrent('when nobody takes the answer', async () => {
    const own = await serve();
    const deaf = await rawConnection(own.port);
    deaf.send(POLL);
    const suspended = await suspend(own);
    deaf.socket.pause();
    const response = suspended.resume();
    answer(response, 'x'.repeat(30_000_000));
    await waitFor(() => response.destroyed, PATIENCE);
    await stop(own);
  });

  test.concurrent('when its next head does not come to its end', async () => {
    const own = await serve();
    const slow = await rawConnection(own.port);
    slow.send(POLL);
    answer((await suspend(own)).resume());
    await slow.waitFor(END);
    slow.send(POLL.slice(0, 20));
    await waitFor(() => slow.closed(), PATIENCE);
    await stop(own);
  });

  test.concurrent('when it says nothing from the beginning', async () => {
    const own = await serve();
    const silent = await rawConnection(own.port);
    await waitFor(() => silent.closed(), PATIENCE);
    await stop(own);
  });
});
