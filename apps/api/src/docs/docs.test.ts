import { RELEASE } from '@flotilla/runtime/build.ts';
import { rawExchange } from '@flotilla/testing/raw-http.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

type Schema = { description?: string; properties?: Record<string, Schema>; items?: Schema };

let api: TestApi;
let get: (path: string) => ReturnType<RestClient>;

beforeAll(async () => {
  api = await startTestApi();
  get = (path) => restClient(api.url)('GET', path);
}, 60_000);

afterAll(() => api?.stop());

test('the document says which version of the API it is, and needs no credential', async () => {
  const { status, json } = await get('/openapi.json');
  expect(status).toBe(200);
  expect(json).toMatchObject({ openapi: '3.1.0', info: { title: 'Flotilla', version: RELEASE } });
});

test('the document tells clients of the Bot API what is answered, passed on and forwarded', async () => {
  const { json } = (await get('/openapi.json')) as { json: { paths: object; webhooks: object } };
  const proxied = Object.keys(json.paths).filter((path) => path.startsWith('/tgapi/'));
  const answered = ['getUpdates', 'setWebhook', 'deleteWebhook', 'getWebhookInfo', 'logOut', 'close'];
  expect(proxied).toEqual([
    ...answered.map((method) => `/tgapi/bot{token}/${method}`),
    '/tgapi/bot{token}/{method}',
    '/tgapi/file/bot{token}/{path}',
  ]);
  expect(json.webhooks).toHaveProperty('update.post');
});

test('every field of every resource is described', async () => {
  const { json } = (await get('/openapi.json')) as { json: { components: { schemas: Record<string, Schema> } } };
  expect(Object.entries(json.components.schemas).flatMap(([name, schema]) => undescribed(name, schema))).toEqual([]);
});

function undescribed(place: string, { properties = {}, items }: Schema): string[] {
  const ofItems = items === undefined ? [] : undescribed(place, items);
  const ofFields = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.description === undefined ? [`${place}.${name}`] : []),
    ...undescribed(`${place}.${name}`, field),
  ]);
  return [...ofItems, ...ofFields];
}

test('the page allows scripts, styles and calls of its own origin only', async () => {
  const page = await get('/docs');
  const policy = page.headers.get('content-security-policy')?.split('; ');
  expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]));
  expect(policy?.join()).not.toMatch(/unsafe|https?:|\*/);
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect(page.headers.get('x-frame-options')).toBe('DENY');
});

test('everything the page is made of is served here, as what it is', async () => {
  const page = await get('/docs');
  const parts = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path!);
  expect(parts).toContain('/docs/swagger-ui-bundle.js');
  for (const path of parts) {
    const part = await get(path);
    expect({ path, status: part.status }).toEqual({ path, status: 200 });
    expect(part.headers.get('content-type')).toMatch(/^(text\/(css|javascript)|image\/png|application\/json)/);
  }
});

test('a script that the browser has is not sent again', async () => {
  const first = await get('/docs/swagger-ui-bundle.js');
  expect(first.headers.get('cache-control')).toBe('no-cache');
  // A raw request, because fetch disables caching when the caller sets If-None-Match.
  const again = await rawExchange(
    api.port,
    `GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\nConnection: close\r\nIf-None-Match: ${first.headers.get('etag')}\r\n\r\n`,
  );
  expect(again.split('\r\n')[0]).toBe('HTTP/1.1 304 Not Modified');
});

test('no other file of the package or of the folder is served, and nothing takes another method', async () => {
  for (const path of ['/docs/package.json', '/docs/docs.ts', '/docs/..%2fapp.ts', '/docs/swagger-ui-bundle.js.map']) {
    expect({ path, status: (await get(path)).status }).toEqual({ path, status: 404 });
  }
  const refused = await restClient(api.url)('POST', '/docs');
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
