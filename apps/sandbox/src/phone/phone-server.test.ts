import { freePort } from '@flotilla/embedded/free-port.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { type RunningSimulator, startSimulator } from '@flotilla/simulator/start.ts';
import { ADA } from '@flotilla/testing/open-phone.ts';
import { rawExchange } from '@flotilla/testing/raw-http.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Phone, servePhone } from './serve-phone.ts';

let simulator: RunningSimulator;
let control: ControlClient;
let bot: { id: number };
let phone: Phone;
let port: number;

beforeAll(async () => {
  simulator = await startSimulator();
  control = controlClient(simulator.url);
  bot = await control.createBot({ name: 'Demo', username: 'demo_bot' });
  await control.createPerson(ADA);
  await control.startBot({ person: ADA.id, bot: bot.id, quietly: true });
  port = await freePort();
  const where = { port, simulatorUrl: simulator.url, consoleUrl: 'http://127.0.0.1:1/console/' };
  phone = await servePhone({ ...where, person: ADA, bot: bot.id });
});
afterAll(async () => {
  await phone?.stop();
  await simulator?.stop();
});

const here = () => ({ person: ADA.id, bot: bot.id });

const POST = 'POST /say HTTP/1.1';
const FILE = 'POST /file?kind=document&name=a HTTP/1.1';
test.each([
  ['another site by a form', POST, 'Content-Type: text/plain', 415],
  ['another site by a script', POST, 'Content-Type: application/json\r\nOrigin: https://evil.example', 403],
  ['another port of this machine', POST, 'Content-Type: application/json\r\nSec-Fetch-Site: same-site', 403],
  ['another site that sends a file by a form', FILE, 'Content-Type: multipart/form-data; boundary=x', 415],
  [
    'another site that sends a file',
    FILE,
    'Content-Type: application/octet-stream\r\nOrigin: https://evil.example',
    403,
  ],
  ['another site that reads', 'GET /chat HTTP/1.1', 'Sec-Fetch-Site: cross-site', 403],
  ['another method', 'OPTIONS /say HTTP/1.1', 'Origin: https://evil.example', 405],
  ['an address that is none', 'GET // HTTP/1.1', 'Accept: */*', 404],
])('%s is refused', async (_who, line, header, status) => {
  const before = (await control.readChat(here())).messages.length;
  const body = line.startsWith('POST') ? '{"text":"evil"}' : '';
  const head = `${line}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${header}`;
  const answer = await rawExchange(port, `${head}\r\n\r\n${body}`);
  expect(answer).toContain(`HTTP/1.1 ${status} `);
  expect(answer.toLowerCase()).not.toContain('access-control');
  expect((await control.readChat(here())).messages.length).toBe(before);
});

test('a name of another site that leads to this machine is refused', async () => {
  const answer = await rawExchange(port, 'GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
  expect(answer).toContain('HTTP/1.1 421 ');
});

test('what is too long or no text is refused in words, and the page runs its own scripts only', async () => {
  const say = (body: string) =>
    fetch(`${phone.url}/say`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  for (const body of ['{"text":""}', '{"text":7}', 'no JSON', JSON.stringify({ text: 'x'.repeat(40_000) })]) {
    const { status } = await say(body);
    expect({ body: body.slice(0, 20), status }).toEqual({ body: body.slice(0, 20), status: 400 });
  }
  const unknown = await fetch(`${phone.url}/constructor`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(unknown.status).toBe(404);
  for (const path of ['/../serve-phone.ts', '/%2e%2e/serve-phone.ts', '/page/phone.js']) {
    expect((await fetch(phone.url + path)).status).toBe(404);
  }
  const policy = (await fetch(phone.url)).headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
  expect(policy).toContain("trusted-types 'none'");
  expect(policy).not.toContain('unsafe');
});

test('what has not changed is not sent again', async () => {
  const first = await fetch(`${phone.url}/chat`);
  const tag = first.headers.get('etag')!;
  expect(await first.json()).toMatchObject({ bot: { name: 'Demo' }, chat: { started: true } });
  expect(JSON.stringify(await (await fetch(`${phone.url}/chat`)).json())).not.toContain('token');
  const again = () => fetch(`${phone.url}/chat`, { headers: { 'if-none-match': tag } });
  expect((await again()).status).toBe(304);
  await control.sendMessage({ ...here(), text: 'new' });
  expect((await again()).status).toBe(200);
  expect((await fetch(`${phone.url}/chat?bot=nobody_bot`)).status).toBe(404);
});

const send = (query: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${phone.url}/file?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body,
  });

test('a file that is empty, too large or of no known kind is refused in words, before it is held', async () => {
  const refusal = async (query: string, body: string | Uint8Array<ArrayBuffer>) => {
    const answer = await send(query, body);
    return [answer.status, ((await answer.json()) as { error: string }).error];
  };
  expect(await refusal('kind=document&name=a', '')).toEqual([400, 'The file is empty.']);
  expect(await refusal('kind=program&name=a', 'x')).toEqual([400, 'This cannot be sent.']);
  expect(await refusal('kind=document&name=a&chat=-5', 'x')).toEqual([400, 'there is no chat -5']);
  const tooLarge = 'A file may have 25 MB at most.';
  expect(await refusal('kind=document&name=a', new Uint8Array(26 * 1024 * 1024))).toEqual([400, tooLarge]);
  const head = `POST /file?kind=document&name=a HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close`;
  const announced = `${head}\r\nContent-Type: application/octet-stream\r\nContent-Length: 99999999999\r\n\r\n`;
  expect(await rawExchange(port, announced)).toContain(tooLarge);
});

test('only pictures, sound and films are shown; what could run is saved, under its own name', async () => {
  const stored = async (name: string, kind: string, type = '') => {
    const sent = await send(new URLSearchParams({ kind, name, type }).toString(), '<script>alert(1)</script>');
    const { fileId } = (await sent.json()) as { fileId: string };
    const { status, headers } = await fetch(`${phone.url}/file?id=${encodeURIComponent(fileId)}`);
    expect([status, headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
    return [headers.get('content-type'), headers.get('content-disposition')];
  };
  const saved = (name: string) => ['application/octet-stream', `attachment; filename*=UTF-8''${name}`];
  expect(await stored('a.html', 'document', 'text/html')).toEqual(saved('a.html'));
  expect(await stored('a.svg', 'photo', 'image/svg+xml')).toEqual(saved('a.svg'));
  expect(await stored("تقرير 'x'\r\n.pdf", 'document')).toEqual(
    saved('%D8%AA%D9%82%D8%B1%D9%8A%D8%B1%20%27x%27%0D%0A.pdf'),
  );
  expect(await stored('a.png', 'photo')).toEqual(['image/png', "inline; filename*=UTF-8''a.png"]);
  expect((await fetch(`${phone.url}/file?id=none`)).status).toBe(400);
});

test('a part of a film is sent alone, as players ask for it', async () => {
  const sent = await send('kind=video&name=a.mp4', '0123456789');
  const { fileId } = (await sent.json()) as { fileId: string };
  const part = await fetch(`${phone.url}/file?id=${fileId}`, { headers: { range: 'bytes=2-4' } });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234']);
});

test('more files than two are not received at once', async () => {
  const slow = () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array([1]));
        open.push(() => controller.close());
      },
    });
    const options = { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body, duplex: 'half' };
    return fetch(`${phone.url}/file?kind=document&name=a`, options as RequestInit);
  };
  const open: (() => void)[] = [];
  const sending = [slow(), slow(), slow()];
  const refused = await Promise.race(sending);
  expect([refused.status, await refused.json()]).toEqual([400, { error: 'Other files are on their way. Try again.' }]);
  for (const end of open) end();
  const statuses = (await Promise.all(sending)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 200, 400]);
});
