import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type FullBacklog, startFullBacklog } from './full-backlog.ts';
import { startTlsAuthority } from './tls-authority.ts';

/** Nothing that is sent meanwhile gets to the platform. */
export const DEAD_LINES = [
  'dropped-syn',
  'nobody-listens',
  'reset-handshake',
  'hanging-handshake',
  'strange-certificate',
] as const;
/** A gateway answers in the platform's place: the call was not carried out. */
export const TURNING_AWAY = ['page-502', 'page-503', 'json-429', 'page-429', 'bare-429'] as const;
/** The platform has carried the call out, and its client cannot know. */
export const LOSING = ['page-504', 'cut-body', 'lost-answer'] as const;
export type FrontFault = (typeof DEAD_LINES)[number] | (typeof TURNING_AWAY)[number] | (typeof LOSING)[number];

/** An HTTPS gateway in front of the platform, with the faults of networks. */
export type FaultyFront = {
  url: string;
  caFile: string;
  /** Ends the fault before; null: none. Faults of single calls concern what is sent only. */
  turn(fault: FrontFault | null): Promise<void>;
  /** How often a message of this text may have been carried out: its request came whole, and was not turned away. */
  mayBeDone(text: string): number;
  /** When (ms) connections were cut over which a request may have been on its way. */
  cutsAtMs: readonly number[];
  stop(): Promise<void>;
};

const PAGE = '<html><h1>nginx</h1></html>';

/** `targetUrl`: where the platform is. */
export async function startFaultyFront(targetUrl: () => string): Promise<FaultyFront> {
  const [ours, theirs] = await Promise.all([startTlsAuthority(), startTlsAuthority()]);
  const known = await ours.issue('DNS:localhost');
  const strange = await theirs.issue('DNS:localhost');
  const pairOf = async ({ certFile, keyFile }: typeof known) => ({
    cert: await readFile(certFile),
    key: await readFile(keyFile),
  });
  const [certificate, strangeOne] = [await pairOf(known), await pairOf(strange)];
  const perhaps = new Map<string, number>();
  const open = new Set<Socket>();
  const cutsAtMs: number[] = [];
  let fault: FrontFault | null = null;
  let backlog: FullBacklog | null = null;

  const https = createHttpsServer(certificate, (request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  https.on('tlsClientError', () => {});
  const tcp = createServer((socket) => {
    open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)));
    if (fault === 'reset-handshake') socket.resetAndDestroy();
    else if (fault !== 'hanging-handshake') https.emit('connection', socket);
  });
  const listen = async (port: number) => {
    tcp.listen(port, '127.0.0.1');
    await once(tcp, 'listening');
  };
  await listen(0);
  const { port } = tcp.address() as AddressInfo;
  const endConnections = () => {
    cutsAtMs.push(Date.now());
    for (const socket of open) socket.destroy();
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const isSend = /\/sendMessage$/.test(request.url ?? '');
    const now = isSend ? fault : null;
    if (now !== null && turnAway(now, response)) return;
    if (isSend) {
      const { text } = JSON.parse(body.toString()) as { text: string };
      perhaps.set(text, (perhaps.get(text) ?? 0) + 1);
    }
    const said = await forward(targetUrl(), request, body);
    if (now === 'lost-answer') response.destroy();
    else if (now === 'page-504') response.writeHead(504, { 'content-type': 'text/html' }).end(PAGE);
    else {
      const { status, headers, text } = said;
      response.writeHead(status, { ...headers, 'content-length': text.length });
      if (now !== 'cut-body') return void response.end(text);
      response.write(text.subarray(0, text.length / 2), () => response.destroy());
    }
  };

  return {
    url: `https://localhost:${port}`,
    caFile: known.caFile,
    cutsAtMs,
    mayBeDone: (text) => perhaps.get(text) ?? 0,
    turn: async (next) => {
      if (backlog !== null) await backlog.stop();
      backlog = null;
      fault = next;
      https.setSecureContext(next === 'strange-certificate' ? strangeOne : certificate);
      const isAway = next === 'dropped-syn' || next === 'nobody-listens';
      if (isAway && tcp.listening) {
        const closed = once(tcp, 'close');
        tcp.close();
        endConnections();
        await closed;
      }
      if (next === 'dropped-syn') backlog = await startFullBacklog(port);
      if (!isAway && !tcp.listening) await listen(port);
      // A call in flight is lost with its connection; an idle connection must not hide the fault.
      if ((DEAD_LINES as readonly (string | null)[]).includes(next)) endConnections();
    },
    stop: async () => {
      await backlog?.stop();
      endConnections();
      tcp.close();
    },
  };
}

/** Answers in the platform's place; false if the fault is another one. */
function turnAway(fault: FrontFault, response: ServerResponse): boolean {
  const page = (status: number, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(PAGE);
  switch (fault) {
    case 'page-502':
    case 'page-503':
      page(Number(fault.slice(-3)));
      return true;
    case 'json-429': {
      const said = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } };
      response.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify(said));
      return true;
    }
    case 'page-429':
      page(429, { 'retry-after': '1' });
      return true;
    case 'bare-429':
      page(429);
      return true;
    default:
      return false;
  }
}

type Said = { status: number; headers: Record<string, string>; text: Buffer };

function forward(targetUrl: string, { url, method, headers }: IncomingMessage, body: Buffer): Promise<Said> {
  return new Promise((resolve, reject) => {
    const sending = requestOf(`${targetUrl}${url}`, { method: method!, headers }, async (answered) => {
      const pieces: Buffer[] = [];
      for await (const piece of answered) pieces.push(piece as Buffer);
      const type = answered.headers['content-type'] ?? 'application/json';
      resolve({
        status: answered.statusCode!,
        headers: { 'content-type': type },
        text: Buffer.concat(pieces),
      });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}
