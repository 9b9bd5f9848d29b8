import type { Response } from 'express';

/** Sends a JSON text with its length. */
export function sendJson(response: Response, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
