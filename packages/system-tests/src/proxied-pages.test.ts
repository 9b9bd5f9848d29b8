import { BROWSER_START_MS, type Browser, type BrowserContext, startBrowser } from '@flotilla/testing/browser.ts';
import { ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const PERSON = 4242;

const api = testApi();
let browser: Browser;
/** A browser in which the admin is signed in. */
let signedIn: BrowserContext;
let token: string;

beforeAll(async () => {
  browser = await startBrowser();
}, BROWSER_START_MS);

beforeAll(async () => {
  token = (await api.addBot()).token;
  await api.platform.createPerson({ id: PERSON });
  await api.platform.startBot({ person: PERSON, bot: Number(token.split(':')[0]) });
  signedIn = await browser.newContext();
  const credentials = { username: 'admin', password: ADMIN_PASSWORD };
  const answer = await signedIn.request.post(`${api.url}/api/auth/login`, { data: credentials });
  expect(answer.status()).toBe(200);
});

afterAll(async () => {
  await browser?.close();
});

/** What a hostile page would do with the session of the person who opens it; the title shows how far it came. */
const SCRIPT = `
  document.title = 'the script runs';
  fetch('/api/bots').then((answer) => answer.text()).then((bots) => { document.title = bots; });
`;
const PAGES = {
  HTML: {
    name: 'page.html',
    type: 'text/html',
    text: `<title>quiet</title><p id="shown">text</p><script>${SCRIPT}</script>`,
  },
  SVG: {
    name: 'picture.svg',
    type: 'image/svg+xml',
    text: `<svg xmlns="http://www.w3.org/2000/svg"><title>quiet</title><text id="shown">text</text><script>${SCRIPT}</script></svg>`,
  },
  XHTML: {
    name: 'page.xhtml',
    type: 'application/xhtml+xml',
    text: `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>quiet</title></head><body><p id="shown">text</p><script>${SCRIPT}</script></body></html>`,
  },
};

/** Uploads a file through the proxy; returns the path under which the proxy serves it. */
async function uploaded({ name, type, text }: { name: string; type: string; text: string }): Promise<string> {
  const form = new FormData();
  form.set('chat_id', String(PERSON));
  form.set('document', new File([text], name, { type }));
  const sent = await fetch(`${api.url}/tgapi/bot${token}/sendDocument`, { method: 'POST', body: form });
  const { result } = (await sent.json()) as { result: { document: { file_id: string } } };
  const query = `file_id=${result.document.file_id}`;
  const found = await fetch(`${api.url}/tgapi/bot${token}/getFile?${query}`);
  const file = (await found.json()) as { result: { file_path: string } };
  return `/file/bot${token}/${file.result.file_path}`;
}

test('the session of the browser reads the bots, where a page of ours asks', async () => {
  const page = await signedIn.newPage();
  await page.goto(`${api.url}/docs`);
  expect(await page.evaluate(() => fetch('/api/bots').then((answer) => answer.text()))).toContain(`"id":1,`);
  await page.close();
});

describe.each(Object.entries(PAGES))(
  'an uploaded page of %s that is opened where somebody is signed in',
  (_kind, file) => {
    test.each(['/tgapi', ''])('is shown at %s/file, and its script does not run', async (prefix) => {
      const page = await signedIn.newPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      const path = `${prefix}${await uploaded(file)}`;
      const answer = await page.goto(`${api.url}${path}`, { waitUntil: 'networkidle' });
      expect(answer?.headers()['content-type']).toBe(file.type);
      expect(await page.locator('#shown').textContent()).toBe('text');
      expect(await page.title()).toBe('quiet');
      expect(asked).toEqual([path]);
      await page.close();
    });
  },
);
