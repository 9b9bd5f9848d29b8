import { setTimeout as delay } from 'node:timers/promises';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { createParser } from 'eventsource-parser';
import { z } from 'zod';

/** A part of a live stream: an event, or the position up to which the client now knows all events. */
export type LivePart = { type: 'id'; id: string } | { type: 'event'; name: string; data: string };

/** The outcome of opening a stream. `again`: the wait before the next try. */
export type Opened = { outcome: 'open'; parts: AsyncGenerator<LivePart[]> } | { outcome: 'again'; reason: string };

const BOT = z.object({ name: z.string(), username: z.string().default(''), secret_token: z.string().default('') });
export type WatchedBot = z.output<typeof BOT>;

type Access = { api: string; key: string };

/** A server that stops or is too busy; everything else that is no success will not go away by waiting. */
const PASSING = [429, 500, 502, 503, 504];
/** A comment comes every 15 s. */
const SILENCE_MS = 45_000;
const SHOW_WITHIN_MS = 30_000;
const EVENT_LENGTH = 1_000_000;

/** The bot as the key may see it. Throws FlotillaError when the server refuses, or cannot be reached. */
export async function showBot({ api, key }: Access, botId: number, stopping: AbortSignal): Promise<WatchedBot> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(SHOW_WITHIN_MS)]);
  const answer = await fetch(`${api}/api/bots/show?id=${botId}`, {
    headers: bearer(key),
    signal,
    redirect: 'manual',
  }).catch((error: unknown) => {
    throw new FlotillaError('unavailable', `Flotilla at ${api} cannot be reached: ${reasonOf(error)}`);
  });
  if (!answer.ok) throw refusal(api, answer.status, await errorOf(answer));
  const bot = BOT.safeParse(await answer.json().catch(() => null));
  if (!bot.success) throw new FlotillaError('unavailable', `${api} does not answer like Flotilla`);
  return bot.data;
}

/** Opens a live stream after the event that `lastId` names. Throws FlotillaError when trying again is of no use. */
export async function openLive(
  { api, key }: Access,
  topic: string,
  lastId: string,
  onRetry: (ms: number) => void,
  stopping: AbortSignal,
): Promise<Opened> {
  const closing = new AbortController();
  const signal = AbortSignal.any([stopping, closing.signal]);
  const headers = {
    ...bearer(key),
    accept: 'text/event-stream',
    ...(lastId === '' ? {} : { 'last-event-id': lastId }),
  };
  try {
    const url = `${api}/api/live?topics=${encodeURIComponent(topic)}`;
    const answer = await fetch(url, { headers, signal, redirect: 'manual' });
    if (answer.status === 200 && answer.body !== null) {
      return { outcome: 'open', parts: readParts(answer.body, onRetry, closing) };
    }
    const error = await errorOf(answer);
    if (!PASSING.includes(answer.status)) throw refusal(api, answer.status, error);
    return { outcome: 'again', reason: error };
  } catch (error) {
    if (error instanceof FlotillaError || stopping.aborted) throw error;
    return { outcome: 'again', reason: reasonOf(error) };
  }
}

/** Reads no further than its caller asks, so that a full buffer holds the server back. Ends with the connection. */
async function* readParts(
  body: ReadableStream<Uint8Array>,
  onRetry: (ms: number) => void,
  closing: AbortController,
): AsyncGenerator<LivePart[]> {
  let parts: LivePart[] = [];
  const parser = createParser({
    onEvent: ({ event = '', data }) => parts.push({ type: 'event', name: event, data }),
    onId: (id) => parts.push({ type: 'id', id }),
    onRetry,
    maxBufferSize: EVENT_LENGTH,
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      if (parts.length > 0) yield parts;
      parts = [];
    }
  } finally {
    closing.abort();
  }
}

/** A connection that died without a word is noticed by the comments that do not come. */
async function withinSilence<T>(reading: Promise<T>): Promise<T> {
  const waiting = new AbortController();
  const silent = delay(SILENCE_MS, null, { signal: waiting.signal }).then(() => {
    throw new Error('nothing came for 45 s');
  });
  silent.catch(() => undefined);
  try {
    return await Promise.race([reading, silent]);
  } finally {
    waiting.abort();
  }
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

function refusal(api: string, status: number, error: string): FlotillaError {
  return new FlotillaError('bad_request', `Flotilla at ${api} refuses (${status}): ${error}`);
}

async function errorOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null);
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  return printable(typeof error === 'string' ? error : `status ${answer.status}`);
}

/** The reason for which a request was not answered. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const { code, message: inner = message } = (cause ?? {}) as NodeJS.ErrnoException;
  return printable(code ?? inner);
}

/** Text of others on a terminal must not contain its control sequences. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ').slice(0, 300);
}
