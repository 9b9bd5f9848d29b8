import type { IncomingMessage } from 'node:http';
import { KEY_HEADER } from '@flotilla/domain/delivery/idempotency/key-header.ts';
import type { Dispatcher } from 'undici';
import type { Refusal } from './answer.ts';
import type { BodyRewriter, Forward } from './forward.ts';
import { forwardedRequestHeaders, headersOfOwnBody, requestHeadersForPlainAnswer, withoutHeader } from './headers.ts';
import type { RequestBody, Upstream } from './upstream.ts';

/** The request to the platform. It is sent once: undici must not repeat it. */
export function requestOf(
  upstream: Upstream,
  req: IncomingMessage,
  { path, asProgram, keyed }: Forward,
  body: Buffer | RequestBody | null,
): Dispatcher.DispatchOptions {
  const own = asProgram?.body ?? null;
  const given =
    asProgram === null
      ? forwardedRequestHeaders(req.rawHeaders)
      : requestHeadersForPlainAnswer(req.rawHeaders, asProgram.isFile);
  const headers = keyed === null ? given : withoutHeader(given, KEY_HEADER);
  return {
    path: upstream.basePath + (upstream.isTest ? inTestEnvironment(path) : path),
    method: own === null ? (req.method as Dispatcher.HttpMethod) : 'POST',
    headers: own === null ? headers : headersOfOwnBody(headers, own.type),
    body,
    idempotent: false,
  };
}

/** The bytes of a whole body that go on, as the tee sees them; a refusal if they cannot be written anew. */
export function wholeBody(forward: Forward, body: Buffer): Buffer | Refusal {
  const rewrite = rewriterOf(forward);
  const begin = rewrite?.write(body) ?? body;
  const end = Buffer.isBuffer(begin) ? rewrite?.end() : undefined;
  const whole = Buffer.isBuffer(end) ? Buffer.concat([begin as Buffer, end]) : (end ?? begin);
  return Buffer.isBuffer(whole) ? seen(forward, whole) : whole;
}

/** The same of a streamed body for its next chunk, or (for null) for its end; null if nothing goes on. */
export function nextOfBody(forward: Forward, chunk: Buffer | null): Buffer | Refusal | null {
  const rewrite = rewriterOf(forward);
  const sent = rewrite === null ? chunk : chunk === null ? rewrite.end() : rewrite.write(chunk);
  return Buffer.isBuffer(sent) ? seen(forward, sent) : sent;
}

function seen({ tee, keyed }: Forward, sent: Buffer): Buffer | Refusal {
  tee?.onRequestChunk?.(sent);
  return keyed?.onSent(sent) ?? sent;
}

function rewriterOf({ asProgram }: Forward): BodyRewriter | null {
  const own = asProgram?.body ?? null;
  return own !== null && 'rewrite' in own ? own.rewrite : null;
}

const AFTER_TOKEN = /^((?:\/file)?\/bot[^/?]+)\/(?!test\/)/;

function inTestEnvironment(path: string): string {
  return path.replace(AFTER_TOKEN, '$1/test/');
}
