import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { refusalOf } from '@flotilla/runtime/own-request.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { z } from 'zod';

export type Phone = { url: string; stop(): Promise<void> };

type Options = {
  port: number;
  simulatorUrl: string;
  consoleUrl: string;
  person: { id: number; firstName: string };
  /** The platform's id of the bot that is written to where a page names none; null: there is none. */
  bot: number | null;
};

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
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
const FILES: Record<string, string> = {
  '/phone.css': 'text/css; charset=utf-8',
  '/phone.js': 'text/javascript; charset=utf-8',
};
const MAX_BODY_BYTES = 32_768;
/** The newest messages that the page shows. */
const SHOWN = 200;

const said = z.strictObject({ text: z.string().trim().min(1).max(4096) });
const pressed = z.strictObject({ message: z.int(), data: z.string().max(64) });
const awaited = z.strictObject({ query: z.string().max(64) });

/** Serves a page on loopback on which somebody writes to a bot as a person of the simulated platform. */
export async function servePhone(options: Options): Promise<Phone> {
  const control = controlClient(options.simulatorUrl);
  const ownHosts = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `${host}:${options.port}`);
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const refusal = refusalOf(request, (host) => ownHosts.includes(host));
    if (refusal !== null) return answer(response, refusal.status, { error: refusal.error });
    handle(request, response, control, options).catch((error: unknown) => {
      const known = error instanceof FlotillaError || error instanceof z.ZodError || error instanceof SyntaxError;
      answer(response, known ? 400 : 502, { error: known ? 'This cannot be sent.' : 'The platform did not answer.' });
    });
  });
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

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  control: ControlClient,
  options: Options,
): Promise<void> {
  const { person, consoleUrl } = options;
  const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://phone');
  const bot = await botOf(control, options, searchParams.get('bot'));
  if (bot === null) return answer(response, 404, { error: 'The platform has no such bot.' });
  const there = { person: person.id, bot };
  switch (`${request.method} ${path}`) {
    case 'GET /':
      return sendFile(response, 'phone.html', 'text/html; charset=utf-8');
    case 'GET /phone.css':
    case 'GET /phone.js':
      return sendFile(response, path.slice(1), FILES[path]!);
    case 'GET /chat':
      return answer(response, 200, { ...(await readMessages(control, there)), person: person.firstName, consoleUrl });
    case 'POST /say':
      await control.sendMessage({ ...there, text: said.parse(await readBody(request)).text });
      return answer(response, 200, { ok: true });
    case 'POST /press': {
      const { message, data } = pressed.parse(await readBody(request));
      const { queryId } = await control.pressButton({ ...there, messageId: message, data });
      return answer(response, 200, { query: queryId });
    }
    case 'POST /answer': {
      const query = await control.readQuery({ queryId: awaited.parse(await readBody(request)).query });
      return answer(response, 200, { answered: query.answered, text: query.answer?.text ?? '' });
    }
    default:
      return answer(response, 404, { error: 'There is nothing here.' });
  }
}

/** The id of the bot with this username, which the pages of the console name; null if there is none. */
async function botOf(control: ControlClient, { bot }: Options, username: string | null): Promise<number | null> {
  if (username === null) return bot;
  return (await control.listBots()).find((one) => one.username === username)?.id ?? null;
}

type Keyboard = { inline_keyboard?: { text: string; callback_data?: string }[][] };

async function readMessages(control: ControlClient, there: { person: number; bot: number }) {
  const [chat, bots] = await Promise.all([control.readChat(there), control.listBots()]);
  const messages = chat.messages.slice(-SHOWN).map((message) => {
    const { from, caption, edit_date, reply_markup } = message as { from?: { id: number }; caption?: string } & {
      edit_date?: number;
      reply_markup?: Keyboard;
    };
    const buttons = (reply_markup?.inline_keyboard ?? []).flat().filter(({ callback_data }) => callback_data);
    return {
      ...{
        id: message.message_id,
        date: message.date,
        mine: from?.id === there.person,
        edited: edit_date !== undefined,
      },
      text: message.text ?? caption ?? null,
      buttons: buttons.map(({ text, callback_data }) => ({ text, data: callback_data })),
    };
  });
  return { messages, bot: bots.find(({ id }) => id === there.bot)?.name ?? '' };
}

function sendFile(response: ServerResponse, name: string, type: string): void {
  response.writeHead(200, { 'Content-Type': type }).end(readFileSync(`${import.meta.dirname}/${name}`));
}

function answer(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new FlotillaError('bad_request', 'The body is too long.');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
