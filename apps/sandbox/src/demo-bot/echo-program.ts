import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSecret } from '@flotilla/runtime/digest.ts';
import { eventOf } from './event-of.ts';

type Message = {
  message_id: number;
  chat: { id: number };
  text?: string;
  message_thread_id?: number;
  is_topic_message?: true;
};
type Update = { message?: Message; callback_query?: { id: string; data?: string; from: { id: number } } };
type Call = { method: string; params: Record<string, unknown> };

export type EchoProgram = { url: string; stop(): Promise<void> };

/**
 * The demo bot's program. It takes the updates that Flotilla pushes and answers with the text, calling the Bot API
 * at `apiRoot` (Flotilla's proxy) like any bot. It listens on a free port of loopback by default.
 */
export async function startEchoProgram(
  bot: { apiRoot: string; token: string; secret: string },
  listen: { host: string; port: number } = { host: '127.0.0.1', port: 0 },
): Promise<EchoProgram> {
  const server = createServer(async (request, response) => {
    const given = request.headers['x-telegram-bot-api-secret-token'];
    if (typeof given !== 'string' || !isSecret(given, bot.secret)) {
      response.writeHead(401).end();
      return;
    }
    try {
      const call = answerTo(JSON.parse(await readText(request)) as Update);
      if (call) await callBotApi(bot, call);
      response.end();
    } catch {
      // An answer of 500 makes Flotilla try this update again later.
      response.writeHead(500).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(listen.port, listen.host, resolve));
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/demo-bot`, stop };
}

function answerTo({ message, callback_query: press }: Update): Call | null {
  if (press) {
    return {
      method: 'answerCallbackQuery',
      params: { callback_query_id: press.id, text: `You pressed ${press.data}` },
    };
  }
  // Nothing can be said back to somebody's joining.
  if (!message || eventOf(message) !== null) return null;
  const chat_id = message.chat.id;
  const topic = message.is_topic_message ? { message_thread_id: message.message_thread_id } : {};
  if (message.text === undefined) {
    return {
      method: 'copyMessage',
      params: { chat_id, ...topic, from_chat_id: chat_id, message_id: message.message_id },
    };
  }
  const keyboard = [[{ text: 'A button', callback_data: 'the button' }]];
  const isStart = message.text.startsWith('/start');
  return {
    method: 'sendMessage',
    params: {
      chat_id,
      ...topic,
      text: isStart ? 'Hello! I say back whatever you tell me.' : `You said: ${message.text}`.slice(0, 4096),
      ...(isStart ? { reply_markup: { inline_keyboard: keyboard } } : {}),
    },
  };
}

async function callBotApi(bot: { apiRoot: string; token: string }, call: Call): Promise<void> {
  const response = await fetch(`${bot.apiRoot}/bot${bot.token}/${call.method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(call.params),
    signal: AbortSignal.timeout(20_000),
  });
  await response.text();
  if (response.status >= 500) throw new Error(`${call.method} was answered with ${response.status}`);
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
