import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type RequestHandler, Router } from 'express';
import { sendJson } from '../http/send-answer.ts';
import { refuseMethod } from '../http/serve-operations.ts';
import { apiDocument } from './api-document.ts';

const require = createRequire(import.meta.url);
const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'));
/** The files of the page: path → folder. */
const ASSETS = new Map([
  ['/docs/page.css', import.meta.dirname],
  ['/docs/page.js', import.meta.dirname],
  ['/docs/favicon-32x32.png', swaggerUi],
  ['/docs/swagger-ui.css', swaggerUi],
  ['/docs/swagger-ui-bundle.js', swaggerUi],
]);

/** Scripts, styles and calls of this origin only; Swagger UI draws its icons as data: images. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves /openapi.json, and at /docs a page to read it and to try calls; the page loads nothing from other hosts. */
export function docs(): Router {
  const router = Router({ caseSensitive: true });
  const document = JSON.stringify(apiDocument());
  const page = readFileSync(`${import.meta.dirname}/page.html`);
  router.get('/', (_request, response) => response.redirect(303, '/docs'));
  router.get('/openapi.json', (_request, response) => sendJson(response, 200, document));
  router.get('/docs', (_request, response) => {
    response.setHeader('Content-Security-Policy', PAGE_POLICY);
    response.type('html').send(page);
  });
  for (const [path, folder] of ASSETS) router.get(path, asset(folder));
  for (const path of ['/', '/openapi.json', '/docs', ...ASSETS.keys()]) router.all(path, refuseMethod(['GET', 'HEAD']));
  return router;
}

/** Browsers keep it, and ask each time whether it has changed. */
function asset(folder: string): RequestHandler {
  const serve = express.static(folder, {
    index: false,
    setHeaders: (response) => response.setHeader('Cache-Control', 'no-cache'),
  });
  return (request, response, next) => {
    request.url = request.url.replace(/^\/docs/, '');
    serve(request, response, next);
  };
}
