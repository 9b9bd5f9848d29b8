import type { IncomingMessage } from 'node:http';
import { headersOf, httpCall, textOf } from './http-call.ts';

export interface RestAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined unless it is JSON. */
  json: unknown;
}

export interface RestCall {
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  query?: Record<string, string | number>;
  headers?: Record<string, string>;
}

export type RestClient = (method: string, path: string, call?: RestCall) => Promise<RestAnswer>;

/** Calls a REST interface over HTTP, with an API key if one is given. */
export function restClient(url: string, key?: string): RestClient {
  return async (method, path, { body, query = {}, headers = {} } = {}) => {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
    );
    const answer = await httpCall(`${url}${path}${search.size > 0 ? `?${search}` : ''}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = isEventStream(answer) ? await firstBlock(answer) : await textOf(answer);
    return { status: answer.statusCode!, headers: headersOf(answer), text, json: parsed(text) };
  };
}

function isEventStream({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false;
}

/** Reads an answer without an end up to its first empty line, and ends it. */
async function firstBlock(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) {
    text += piece;
    if (text.includes('\n\n')) break;
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
