import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { type RequestHandler, type Response, Router } from 'express';
import mimeTypes from 'mime-types';
import { PAGE_POLICY } from '../http/page-policy.ts';
import { refuseMethod } from '../operations/serve-operations.ts';

const BASE = '/console/';
const ASSETS = `${BASE}assets/`;
/** The names of assets contain a hash of their bytes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const COMPRESSIBLE = /^(text\/|application\/(javascript|json)|image\/svg)/;
const MIN_COMPRESSED_BYTES = 1024;
const compress = promisify(gzip);

/** Strings must not become HTML or scripts; pictures and sounds may be objects that the page made; the font is ours. */
const CONSOLE_POLICY = [
  ...PAGE_POLICY.filter((directive) => !directive.startsWith('img-src')),
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

type Asset = { body: Buffer; type: string; etag: string; compressed: Promise<Buffer> | null };
type Assets = Map<string, Asset>;

/**
 * Serves the console at /console/, and leads `/` there; without a built console `/` leads to /docs. Its files are read
 * once: a process keeps serving the console that it started with while the folder is replaced.
 */
export function serveConsole({ folder, log }: { folder: string; log: Logger }): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const files = readAssets(folder);
  const page = files.get(`${BASE}index.html`);
  if (page === undefined) log.info({ folder }, 'there is no console: npm run console builds one');
  router.get('/', (_request, response) => response.redirect(303, page === undefined ? '/docs' : BASE));
  router.all('/', refuseMethod(['GET', 'HEAD']));
  if (page === undefined) return router;
  router.get('/console', (_request, response) => response.redirect(308, BASE));
  router.get(`${BASE}*path`, serveFile(files, page));
  router.get(BASE, (request, response) => sendPage(response, page, request.acceptsEncodings('gzip') !== false));
  for (const path of ['/console', BASE, `${BASE}*path`]) router.all(path, refuseMethod(['GET', 'HEAD']));
  return router;
}

/** Paths of screens get the page. A file that is not there is 404: the page in its place would not be a script. */
function serveFile(files: Assets, page: Asset): RequestHandler {
  return (request, response) => {
    const { path } = request;
    const file = files.get(path) ?? (isOfFile(path) ? null : page);
    if (file === null) throw new FlotillaError('not_found', 'There is nothing at this path');
    const takesGzip = request.acceptsEncodings('gzip') !== false;
    if (file === page) return sendPage(response, page, takesGzip);
    response.setHeader('Cache-Control', path.startsWith(ASSETS) ? IMMUTABLE : 'no-cache');
    return send(response, file, takesGzip);
  };
}

function isOfFile(path: string): boolean {
  return path.startsWith(ASSETS) || /\.[^./]*$/.test(path);
}

function sendPage(response: Response, page: Asset, takesGzip: boolean): Promise<void> {
  response.setHeader('Content-Security-Policy', CONSOLE_POLICY);
  response.setHeader('Cache-Control', 'no-cache');
  return send(response, page, takesGzip);
}

async function send(response: Response, file: Asset, takesGzip: boolean): Promise<void> {
  response.setHeader('Content-Type', file.type);
  response.setHeader('ETag', file.etag);
  if (!isCompressed(file)) {
    response.send(file.body);
    return;
  }
  response.setHeader('Vary', 'Accept-Encoding');
  if (takesGzip) response.setHeader('Content-Encoding', 'gzip');
  response.send(takesGzip ? await compressOnce(file) : file.body);
}

function isCompressed({ type, body }: Asset): boolean {
  return COMPRESSIBLE.test(type) && body.length >= MIN_COMPRESSED_BYTES;
}

function compressOnce(file: Asset): Promise<Buffer> {
  file.compressed ??= compress(file.body, { level: 9 });
  return file.compressed;
}

/** The files below a folder by their paths at the server; none if the folder is not there. */
function readAssets(folder: string): Assets {
  if (!existsSync(join(folder, 'index.html'))) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [`${BASE}${relative(folder, file)}`, readAsset(file)]));
}

function relative(folder: string, file: string): string {
  return file.slice(join(folder, sep).length).split(sep).join('/');
}

function readAsset(file: string): Asset {
  const body = readFileSync(file);
  const etag = `W/"${createHash('sha256').update(body).digest('base64url')}"`;
  return {
    body,
    type: mimeTypes.contentType(file.split(sep).at(-1)!) || 'application/octet-stream',
    etag,
    compressed: null,
  };
}
