import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';

const FOLDER = `${import.meta.dirname}/page`;
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};
const FILES = new Set(readdirSync(FOLDER));

/** Sends the page or a file of it; false if there is none at this path. */
export function sendPage(response: ServerResponse, path: string): boolean {
  const name = path === '/' ? 'phone.html' : path.slice(1);
  if (!FILES.has(name)) return false;
  response.writeHead(200, { 'Content-Type': TYPES[extname(name)]! }).end(readFileSync(`${FOLDER}/${name}`));
  return true;
}
