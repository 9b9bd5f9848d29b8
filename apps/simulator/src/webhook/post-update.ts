import http from 'node:http';
import https from 'node:https';
import { gunzipSync, inflateSync } from 'node:zlib';
import { parseWebhookUrl } from './check-webhook-url.ts';
import type { WebhookSettings } from './webhook.ts';

const TIMEOUT_MS = 60_000;

/** The outcome of one delivery; `retryAfterS` is already clamped, null when the reply named none. */
export type PostOutcome =
  | { kind: 'accepted'; contentType: string; body: Buffer }
  | { kind: 'failed'; status: number | null; message: string; retryAfterS: number | null };

/** Sends updates to one webhook over kept-alive connections (WebhookActor.cpp:552-651). */
export function webhookPoster(webhook: WebhookSettings) {
  const url = parseWebhookUrl(webhook.url)!;
  const secure = url.protocol === 'https:';
  const connections = { keepAlive: true, maxSockets: webhook.maxConnections };
  const trust = webhook.certificate === null ? {} : { ca: webhook.certificate, checkServerIdentity: () => undefined };
  const agent = secure ? new https.Agent({ ...connections, ...trust }) : new http.Agent(connections);
  const headers: Record<string, string> = {
    Host: url.host,
    ...(url.username !== '' && { Authorization: `Basic ${credentials(url)}` }),
    ...(webhook.secretToken !== '' && { 'X-Telegram-Bot-Api-Secret-Token': webhook.secretToken }),
    'Content-Type': 'application/json',
    Connection: 'keep-alive',
    'Accept-Encoding': 'gzip, deflate',
  };
  const target = {
    host: webhook.pinned ? webhook.ipAddress : url.hostname.replace(/^\[|\]$/g, ''),
    ...(secure && webhook.pinned && { servername: url.hostname }),
    port: url.port || (secure ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    agent,
  };

  const send = (body: string): Promise<PostOutcome> =>
    new Promise((resolve) => {
      const options = { ...target, headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) } };
      const request = (secure ? https : http).request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => settle(outcomeOf(response, Buffer.concat(chunks))));
        response.on('error', (error) => settle(failed(error.message)));
      });
      const timer = setTimeout(() => {
        settle(failed('Read timeout expired'));
        request.destroy();
      }, TIMEOUT_MS);
      const settle = (outcome: PostOutcome) => {
        clearTimeout(timer);
        resolve(outcome);
      };
      request.on('error', (error: NodeJS.ErrnoException) => settle(failed(describe(error))));
      request.end(body);
    });
  return { send, close: () => agent.destroy() };
}

function outcomeOf(response: http.IncomingMessage, body: Buffer): PostOutcome {
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) {
    const plain = decompress(body, response.headers['content-encoding'] ?? '');
    return { kind: 'accepted', contentType: response.headers['content-type'] ?? '', body: plain };
  }
  const named = /^\d+$/.exec(response.headers['retry-after'] ?? '')?.[0];
  return {
    kind: 'failed',
    status,
    message: `Wrong response from the webhook: ${status} ${response.statusMessage}`,
    retryAfterS: named === undefined ? null : Math.min(3600, Number(named)),
  };
}

function failed(message: string): PostOutcome {
  return { kind: 'failed', status: null, message, retryAfterS: null };
}

function describe(error: NodeJS.ErrnoException): string {
  if (error.code === 'ECONNREFUSED') return 'Connection refused';
  return error.code === 'ECONNRESET' ? 'Connection reset by peer' : error.message;
}

function decompress(body: Buffer, encoding: string): Buffer {
  try {
    if (encoding === 'gzip') return gunzipSync(body);
    return encoding === 'deflate' ? inflateSync(body) : body;
  } catch {
    return Buffer.alloc(0);
  }
}

function credentials(url: URL): string {
  return Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString('base64');
}
