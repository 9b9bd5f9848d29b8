import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { refusalOf } from '@flotilla/runtime/own-request.ts';
import { ControlRefusal, controlClient } from '@flotilla/simulator/control-client.ts';
import { z } from 'zod';
import { ACTS } from './acts.ts';
import { ASKED, type Asked, type Deps, depsOf, type Options } from './asked.ts';
import { readJson } from './read-body.ts';
import { FILE_TYPE, receiveFile } from './receive-file.ts';
import { sendFile } from './send-file.ts';
import { sendPage } from './send-page.ts';
import { showPhone } from './show-phone.ts';

export type Phone = { url: string; stop(): Promise<void> };

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    // A message is shown before it is sent.
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};
const NOTHING_HERE = { error: 'There is nothing here.' };
/** A caption stands in the address of its file. */
const MAX_HEADER_BYTES = 32_768;
const REQUEST_MS = 60_000;
const MAX_CONNECTIONS = 100;
const MOST_BOTS = 50;

/** Serves a page on loopback on which somebody writes to bots as people of the simulated platform. */
export async function servePhone(options: Options): Promise<Phone> {
  const deps = depsOf(controlClient(options.simulatorUrl), options);
  const ownHosts = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `${host}:${options.port}`);
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_MS }, (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const bodyType = request.url?.startsWith('/file?') ? FILE_TYPE : undefined;
    const refusal = refusalOf(request, (host) => ownHosts.includes(host), bodyType);
    if (refusal !== null) return answer(response, refusal.status, { error: refusal.error });
    handle(deps, request, response).catch((error: unknown) => refuse(response, error));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, '127.0.0.1', resolve);
  });
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${options.port}`, stop };
}

async function handle(deps: Deps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = URL.parse(request.url ?? '/', 'http://phone');
  if (url === null) return answer(response, 404, NOTHING_HERE);
  const { pathname: path, searchParams: query } = url;
  if (request.method === 'GET' && sendPage(response, path)) return;
  const asked = await deps.find(ASKED.parse(Object.fromEntries(query)));
  if (asked === null) return answer(response, 404, await noSuchBot(deps));
  switch (`${request.method} ${path}`) {
    case 'GET /chat':
      return answerChanged(request, response, await showPhone(deps, asked));
    case 'GET /file':
      return sendFile(deps, asked, { request, response, fileId: query.get('id') ?? '' });
    case 'POST /file':
      return answer(response, 200, await receiveFile(deps, asked, { request, query }));
    default:
      return act(deps, asked, request, response, path);
  }
}

/** Who comes without a bot, or with one that is gone, chooses from these. */
async function noSuchBot({ control, options }: Deps): Promise<object> {
  const bots = (await control.listBots()).slice(-MOST_BOTS);
  return {
    error: 'The platform has no such bot.',
    bots: bots.map(({ id, name, username }) => ({ id, name, username })),
    consoleUrl: options.consoleUrl,
  };
}

async function act(deps: Deps, asked: Asked, request: IncomingMessage, response: ServerResponse, path: string) {
  const name = path.slice(1);
  if (request.method !== 'POST' || !Object.hasOwn(ACTS, name)) {
    return answer(response, 404, NOTHING_HERE);
  }
  const { input, run } = ACTS[name]!;
  answer(
    response,
    200,
    ((await run(deps, asked, input.parse(await readJson(request)))) as object | null) ?? { ok: true },
  );
}

/** The page asks every second; what it shows already is not sent again. */
function answerChanged(request: IncomingMessage, response: ServerResponse, shown: { tag: string; text: string }): void {
  response.setHeader('ETag', shown.tag);
  if (request.headers['if-none-match'] === shown.tag) response.writeHead(304).end();
  else response.writeHead(200, { 'Content-Type': 'application/json' }).end(shown.text);
}

function refuse(response: ServerResponse, error: unknown): void {
  const isWrong = error instanceof z.ZodError || error instanceof SyntaxError;
  const own = error instanceof ControlRefusal ? error.reason : error instanceof FlotillaError ? error.message : null;
  const reason = own ?? (isWrong ? 'This cannot be sent.' : 'The platform did not answer.');
  answer(response, isWrong || own !== null ? 400 : 502, { error: reason });
}

function answer(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
