import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type PlatformCall = { bot: string; method: string; text: string; open: ServerResponse };

/** A platform that answers 429 when it is told to, and keeps which calls it got. */
export type FloodingPlatform = {
  url: string;
  /** Calls of methods, other than those with which bots are registered, oldest first. */
  calls: PlatformCall[];
  /** Until it is cleared: the wait in seconds with which calls of this method are refused, if their text has this in it. */
  refuse(method: string, seconds: number, having?: string): void;
  /** The same by the page of a gateway before it. */
  refuseByPage(method: string, seconds: number, having: string): void;
  /** Leaves calls of this method unanswered; `answer` is for them. */
  hold(method: string): void;
  clear(): void;
  /** The token of a bot that it knows. */
  newToken(): string;
  stop(): Promise<void>;
};

const AT_REGISTRATION = new Set(['getme', 'deletewebhook', 'getupdates']);
const PATH = /^\/bot(\d+:[^/]+)\/(\w+)/;

export async function startFloodingPlatform(): Promise<FloodingPlatform> {
  const calls: PlatformCall[] = [];
  let refusals: { method: string; seconds: number; having: string; byPage: boolean }[] = [];
  const held = new Set<string>();
  let bots = 0;
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const [, bot = '', method = ''] = PATH.exec(request.url ?? '') ?? [];
      const name = method.toLowerCase();
      const text = `${request.url} ${body}`;
      if (AT_REGISTRATION.has(name)) {
        answerCall(response, name === 'getupdates' ? [] : meOf(bot));
        return;
      }
      calls.push({ bot, method, text, open: response });
      const refusal = refusals.find((one) => one.method.toLowerCase() === name && text.includes(one.having));
      if (refusal?.byPage) refuseByPage(response, refusal.seconds);
      else if (refusal !== undefined) refuseCall(response, refusal.seconds);
      else if (!held.has(name))
        answerCall(response, { message_id: calls.length, date: 1, chat: chatOf(text), text: 'x' });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    refuse: (method, seconds, having = '') => refusals.push({ method, seconds, having, byPage: false }),
    refuseByPage: (method, seconds, having) => refusals.push({ method, seconds, having, byPage: true }),
    hold: (method) => held.add(method.toLowerCase()),
    clear: () => {
      refusals = [];
      held.clear();
      calls.length = 0;
    },
    newToken: () => {
      bots += 1;
      return `${900_000 + bots}:AAfloodingfloodingfloodingfloodin_${String(bots).padStart(3, '0')}`;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The platform's text. */
export function floodText(seconds: number): string {
  return `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after ${seconds}","parameters":{"retry_after":${seconds}}}`;
}

export function answerCall(response: ServerResponse, result: unknown): void {
  const text = JSON.stringify({ ok: true, result });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text);
}

export function refuseCall(response: ServerResponse, seconds: number): void {
  const text = floodText(seconds);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': text.length, 'Retry-After': seconds };
  response.writeHead(429, headers).end(text);
}

function refuseByPage(response: ServerResponse, seconds: number): void {
  response.writeHead(429, { 'Content-Type': 'text/html', 'Retry-After': seconds }).end('<h1>Too Many Requests</h1>');
}

function meOf(token: string): object {
  return {
    id: Number.parseInt(token, 10),
    is_bot: true,
    first_name: 'Flooded',
    username: `flooded_${token.slice(-3)}_bot`,
  };
}

function chatOf(text: string): { id: number } {
  return { id: Number(/chat_id\W+?(-?\d+)/.exec(text)?.[1] ?? 5) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('latin1')) text += piece;
  return text;
}
