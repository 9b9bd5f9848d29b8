import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** When sends arrived (performance.now()), by the platform's id of the bot, with the text of each. */
export type Arrived = { atMs: number; text: string };

export type QuickPlatform = {
  url: string;
  arrivedOf(platformId: number): Arrived[];
  count(): number;
  forget(): void;
  stop(): Promise<void>;
};

const POLL_MS = 25_000;
const PATH = /^\/bot(\d+):[^/]+\/(\w+)/;

/** A platform that takes every send and keeps nothing but when it came, so that it costs the machine as little as possible. */
export async function startQuickPlatform(): Promise<QuickPlatform> {
  const arrived = new Map<number, Arrived[]>();
  let messages = 0;
  const answer = (response: ServerResponse, result: unknown) => {
    const body = JSON.stringify({ ok: true, result });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) });
    response.end(body);
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, id, method = ''] = PATH.exec(request.url ?? '') ?? [];
    const botId = Number(id);
    const from = { id: botId, is_bot: true, first_name: `Bot ${botId}`, username: `quick_${botId}_bot` };
    const atMs = performance.now();
    const params = await readParams(request);
    switch (method.toLowerCase()) {
      case 'getme':
        return answer(response, { ...from, can_join_groups: true });
      case 'getupdates':
        setTimeout(() => answer(response, []), POLL_MS).unref();
        return;
      case 'sendmessage': {
        messages += 1;
        const { chat_id: chatId, text = '' } = params as { chat_id?: number | string; text?: string };
        const times = arrived.get(botId) ?? [];
        arrived.set(botId, times);
        times.push({ atMs, text });
        const chat = { id: Number(chatId), type: 'private', first_name: 'Person' };
        return answer(response, { message_id: messages, from, chat, date: Math.floor(Date.now() / 1000), text });
      }
      default:
        return answer(response, true);
    }
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivedOf: (platformId) => arrived.get(platformId) ?? [],
    count: () => messages,
    forget: () => arrived.clear(),
    stop: () => closed(server),
  };
}

async function readParams(request: IncomingMessage): Promise<Record<string, unknown>> {
  const { searchParams } = new URL(request.url ?? '/', 'http://platform');
  let body = '';
  for await (const part of request) body += String(part);
  const isJson = request.headers['content-type']?.startsWith('application/json') ?? false;
  return { ...Object.fromEntries(searchParams), ...(isJson && body !== '' ? (JSON.parse(body) as object) : {}) };
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
