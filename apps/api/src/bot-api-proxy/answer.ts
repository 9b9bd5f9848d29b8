import type { ServerResponse } from 'node:http';
import { botApiError } from '@flotilla/telegram/bot-api-error.ts';
import { SANDBOXED } from './hop-by-hop.ts';

/** An answer of our own: a raw JSON `result`, or an error of the platform's kind. */
export type BotApiAnswer = { ok: true; result: string; description?: string } | Refusal;
export type Refusal = { ok: false; code: number; description: string; retryAfterS?: number };

/** Sends an answer of our own in the platform's envelope. Does nothing when the client is gone. */
export function sendAnswer(res: ServerResponse, answer: BotApiAnswer): void {
  if (!answer.ok) {
    sendError(res, answer.code, answer.description, answer.retryAfterS);
    return;
  }
  const description = answer.description === undefined ? '' : `,"description":${JSON.stringify(answer.description)}`;
  sendBody(res, 200, `{"ok":true,"result":${answer.result}${description}}`, {});
}

/** Sends an error in the platform's envelope; a wait in seconds goes into the body and into Retry-After. */
export function sendError(res: ServerResponse, code: number, description: string, retryAfterS?: number): void {
  const wait = retryAfterS === undefined ? undefined : { retry_after: retryAfterS };
  const headers = retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) };
  sendBody(res, code, botApiError(code, description, wait).body, headers);
}

/** Refuses below the level of calls, as the platform does: an empty body, and the connection ends. */
export function sendEmpty(res: ServerResponse, code: number): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(code, { ...SANDBOXED, 'Content-Length': '0', Connection: 'close' });
  res.end();
}

function sendBody(res: ServerResponse, code: number, body: string, headers: Record<string, string>): void {
  if (res.headersSent || res.destroyed) return;
  const length = String(Buffer.byteLength(body));
  res.writeHead(code, { ...SANDBOXED, 'Content-Type': 'application/json', 'Content-Length': length, ...headers });
  res.end(body);
}
