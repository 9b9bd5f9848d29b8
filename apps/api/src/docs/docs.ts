import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler, Router } from 'express';
import { PAGE_POLICY } from '../http/page-policy.ts';
import { sendJson } from '../http/send-answer.ts';
import { refuseMethod } from '../operations/serve-operations.ts';
import { apiDocument } from './api-document.ts';

const swaggerUi = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
/** The files of the page: path → folder. */
const ASSETS = new Map([
  ['/docs/page.css', import.meta.dirname],
  ['/docs/page.js', import.meta.dirname],
  ['/docs/favicon-32x32.png', swaggerUi],
  ['/docs/swagger-ui.css', swaggerUi],
  ['/docs/swagger-ui-bundle.js', swaggerUi],
]);

/** Swagger UI draws its icons as data: images. */
const DOCS_POLICY = PAGE_POLICY.map((directive) =>
  directive.startsWith('img-src') ? `${directive} data:` : directive,
);

/** Serves /openapi.json, and at /docs a page to read it and to try calls; the page loads nothing from other hosts. */
export function docs(): Router {
  const router = Router({ caseSensitive: true });
  // Made for the first reader: it takes a tenth of the time that a process needs to start.
  let document: string | undefined;
  const page = readFileSync(`${import.meta.dirname}/page.html`);
  router.get('/openapi.json', (_request, response) => {
    document ??= JSON.stringify(apiDocument());
    sendJson(response, 200, document);
  });
  router.get('/docs', (_request, response) => {
    response.setHeader('Content-Security-Policy', DOCS_POLICY.join('; '));
    response.type('html').send(page);
  });
  for (const [path, folder] of ASSETS) router.get(path, asset(folder));
  for (const path of ['/openapi.json', '/docs', ...ASSETS.keys()]) router.all(path, refuseMethod(['GET', 'HEAD']));
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
