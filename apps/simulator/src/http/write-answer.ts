import type { ServerResponse } from 'node:http';
import type { Answer } from '../methods/run-call.ts';

/** Writes a response with the platform's own headers and no others (HttpConnection.cpp:66-88). */
export function writeAnswer(res: ServerResponse, answer: Answer): void {
  const bytes = Buffer.from(answer.body, 'utf8');
  res.writeHead(answer.status, {
    ...(answer.retryAfterS !== undefined && { 'Retry-After': String(answer.retryAfterS) }),
    Connection: 'keep-alive',
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
  });
  res.end(bytes);
}

/** Writes an error below the API: an empty body, then the connection closes (HttpConnectionBase.cpp:120-141). */
export function writeRefusal(res: ServerResponse, status: number): void {
  res.writeHead(status, { Connection: 'close', 'Content-Length': '0' });
  res.end();
}
