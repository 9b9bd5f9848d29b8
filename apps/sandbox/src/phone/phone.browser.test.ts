import { freePort } from '@flotilla/embedded/free-port.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { type RunningSimulator, startSimulator } from '@flotilla/simulator/start.ts';
import { BROWSER_START_MS, type Browser, startBrowser } from '@flotilla/testing/browser.ts';
import { rawExchange } from '@flotilla/testing/raw-http.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LOOKS } from '../../../console/tests/console-suite.ts';
import { faultsOf, picture } from '../../../console/tests/open-console.ts';
import { type Phone, servePhone } from './serve-phone.ts';

const ADA = { id: 424_242, firstName: 'Ada' };
const HOSTILE = '<img src=x onerror=alert(1)>';
const TEST_MS = 60_000;

let browser: Browser;
let simulator: RunningSimulator;
let control: ControlClient;
let bot: { id: number; token: string };
let phone: Phone;
let port: number;

beforeAll(async () => {
  browser = await startBrowser();
}, BROWSER_START_MS);
beforeAll(async () => {
  simulator = await startSimulator();
  control = controlClient(simulator.url);
  bot = await control.createBot({ name: 'Demo', username: 'demo_bot' });
  await control.createPerson(ADA);
  await control.startBot({ person: ADA.id, bot: bot.id, quietly: true });
  port = await freePort();
  const where = { port, simulatorUrl: simulator.url, consoleUrl: 'http://127.0.0.1:1/console/' };
  phone = await servePhone({ ...where, person: ADA, bot: bot.id });
}, TEST_MS);
afterAll(async () => {
  await browser?.close();
  await phone?.stop();
  await simulator?.stop();
});

async function asBot(method: string, params: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${simulator.url}/bot${bot.token}/${method}`, { method: 'POST', headers, body: JSON.stringify(params) });
}

async function updatesOfBot(): Promise<{ callback_query?: { id: string } }[]> {
  const { updates } = await control.pendingUpdates({ bot: bot.id });
  return updates.map((update) => JSON.parse(update));
}

async function openPhone(options: Parameters<Browser['newContext']>[0] = {}, query = '') {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(`${phone.url}/${query}`);
  await page.getByRole('heading', { name: 'Demo' }).waitFor();
  return { page, context, complaints };
}

test(
  'Ada writes by keyboard, reads the answer as text, presses a button and is told what the bot says to it',
  async () => {
    const { page, context, complaints } = await openPhone();
    await page.getByText('Nothing was said yet.').waitFor();
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'Hello' }).waitFor();
    const [update] = await updatesOfBot();
    expect(update).toMatchObject({ message: { text: 'Hello', from: { id: ADA.id } } });
    const keyboard = { inline_keyboard: [[{ text: 'A button', callback_data: 'pressed' }]] };
    await asBot('sendMessage', { chat_id: ADA.id, text: HOSTILE, reply_markup: keyboard });
    await page.getByText(HOSTILE).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    const button = page.getByRole('button', { name: 'A button' });
    await button.focus();
    await page.keyboard.press('Enter');
    const pressed = async () => (await updatesOfBot()).find(({ callback_query }) => callback_query)?.callback_query;
    await waitFor(async () => (await pressed()) !== undefined);
    await asBot('answerCallbackQuery', { callback_query_id: (await pressed())!.id, text: 'Well pressed' });
    await page.getByText('The bot answers: Well pressed').waitFor();

    await page.getByRole('button', { name: 'Русский' }).click();
    await page.getByRole('button', { name: 'Отправить' }).waitFor();
    expect(await page.title()).toBe('Телефон: Ada');
    await picture(page, 'phone-russian');
    expect(complaints).toEqual([]);
    await context.close();
  },
  TEST_MS,
);

test.each(LOOKS)(
  'the page is accessible and fits the window: %s',
  async (look, colorScheme, width, height) => {
    await control.sendMessage({ person: ADA.id, bot: bot.id, text: 'A long word: '.padEnd(200, 'x') });
    const { page, context, complaints } = await openPhone(
      { viewport: { width, height } },
      `?lang=en&theme=${colorScheme}`,
    );
    await page.getByText('A long word').last().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe(colorScheme);
    await picture(page, `phone-${look}`);
    expect(complaints).toEqual([]);
    await context.close();
  },
  TEST_MS,
);

const POST = 'POST /say HTTP/1.1';
test.each([
  ['another site by a form', POST, 'Content-Type: text/plain', 415],
  ['another site by a script', POST, 'Content-Type: application/json\r\nOrigin: https://evil.example', 403],
  ['another port of this machine', POST, 'Content-Type: application/json\r\nSec-Fetch-Site: same-site', 403],
  ['another site that reads', 'GET /chat HTTP/1.1', 'Sec-Fetch-Site: cross-site', 403],
  ['another method', 'OPTIONS /say HTTP/1.1', 'Origin: https://evil.example', 405],
])('%s is refused', async (_who, line, header, status) => {
  const before = (await control.readChat({ person: ADA.id, bot: bot.id })).messages.length;
  const body = line === POST ? '{"text":"evil"}' : '';
  const head = `${line}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${header}`;
  const answer = await rawExchange(port, `${head}\r\n\r\n${body}`);
  expect(answer).toContain(`HTTP/1.1 ${status} `);
  expect(answer.toLowerCase()).not.toContain('access-control');
  expect((await control.readChat({ person: ADA.id, bot: bot.id })).messages.length).toBe(before);
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
  const policy = (await fetch(phone.url)).headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
  expect(policy).toContain("trusted-types 'none'");
});

test(
  'a page for another bot writes to that one, and one for no bot says so',
  async () => {
    const other = await control.createBot({ name: 'Other', username: 'other_bot' });
    const page = await browser.newPage();
    await page.goto(`${phone.url}/?lang=en&bot=other_bot`);
    await page.getByRole('textbox', { name: 'Message' }).fill('To the other one');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('To the other one').waitFor();
    const { messages } = await control.readChat({ person: ADA.id, bot: other.id });
    expect(messages.at(-1)?.text).toBe('To the other one');
    expect((await fetch(`${phone.url}/chat?bot=nobody_bot`)).status).toBe(404);
    await page.close();
  },
  TEST_MS,
);
