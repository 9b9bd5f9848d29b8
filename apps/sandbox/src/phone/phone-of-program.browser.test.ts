import { readFile } from 'node:fs/promises';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { BROWSER_START_MS, type Browser, startBrowser } from '@flotilla/testing/browser.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { ADA, HOSTILE, openPhone, PIXEL, TEST_MS, write } from '@flotilla/testing/open-phone.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Phone, servePhone } from './serve-phone.ts';

const REPORT = 'Berth 7: free\nBerth 8: taken\n';
const HOSTILE_NAME = `${HOSTILE} תקרית.html`;

type File = { file_id: string };
type Message = {
  message_id: number;
  chat: { id: number };
  text?: string;
  caption?: string;
  photo?: File[];
  document?: File;
  voice?: File;
};
type Update = { update_id: number; message?: Message; my_chat_member?: { new_chat_member: { status: string } } };

let browser: Browser;
let fleet: Fleet;
let bot: FleetBot;
let phone: Phone;
let program: ReturnType<typeof startProgram>;

beforeAll(async () => {
  browser = await startBrowser();
}, BROWSER_START_MS);
beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  bot = await fleet.addBot({ proxy_enabled: true, long_poll_enabled: true }, { name: 'Harbour', privacy: true });
  await fleet.control.createPerson(ADA);
  const where = { port: await freePort(), simulatorUrl: fleet.simulator.url, consoleUrl: `${fleet.url}/console/` };
  phone = await servePhone({ ...where, person: ADA, bot: null });
  program = startProgram();
}, TEST_MS);
afterAll(async () => {
  await browser?.close();
  await phone?.stop();
  await program?.stop();
  await fleet?.stop();
}, TEST_MS);

async function call<Result = unknown>(method: string, params: object | FormData): Promise<Result> {
  const body = params instanceof FormData ? params : JSON.stringify(params);
  const headers: Record<string, string> = params instanceof FormData ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(`${fleet.url}/tgapi/bot${bot.token}/${method}`, { method: 'POST', headers, body });
  const { ok, result, description } = (await answer.json()) as { ok: boolean; result: Result; description: string };
  if (!ok) throw new Error(`${method}: ${description}`);
  return result;
}

/** A bot's program as people write it: all it knows of the platform is Flotilla's proxy. */
function startProgram() {
  const heard: Update[] = [];
  const files: { caption: string | undefined; bytes: Buffer }[] = [];
  let isStopped = false;
  const running = (async () => {
    for (let offset = 0; !isStopped; ) {
      for (const update of await call<Update[]>('getUpdates', { offset, timeout: 1 })) {
        offset = update.update_id + 1;
        heard.push(update);
        if (update.message) await answerTo(update.message, files);
      }
    }
  })();
  const stop = async () => {
    isStopped = true;
    await running;
  };
  return { heard, files, stop };
}

async function answerTo(message: Message, files: { caption: string | undefined; bytes: Buffer }[]): Promise<void> {
  const { chat, text = '', caption } = message;
  const file = message.photo?.at(-1) ?? message.document ?? message.voice;
  if (file) files.push({ caption, bytes: await download(file) });
  if (text.includes(`@${bot.username} berths`)) {
    await call('sendMessage', {
      chat_id: chat.id,
      text: 'Berth 7 is free',
      reply_parameters: { message_id: message.message_id },
    });
  }
  if (text.startsWith('/leave')) await call('leaveChat', { chat_id: chat.id });
  if (text === '/report') {
    const form = new FormData();
    form.set('chat_id', String(chat.id));
    form.set('document', new Blob([REPORT]), HOSTILE_NAME);
    await call('sendDocument', form);
  }
}

async function download({ file_id }: File): Promise<Buffer> {
  const { file_path } = await call<{ file_path: string }>('getFile', { file_id });
  const content = await fetch(`${fleet.url}/tgapi/file/bot${bot.token}/${file_path}`);
  return Buffer.from(await content.arrayBuffer());
}

const open = () => openPhone(browser, phone.url, `?lang=en&bot=${bot.username}`);
const saidTo = (text: string) => program.heard.filter(({ message }) => message?.text === text).length;

test(
  'in a group that Ada makes, two people write, and the program hears what privacy mode lets through, answers and leaves',
  async () => {
    const { page, context, complaints } = await open();
    const items = page.locator('#messages > li');
    await page.getByRole('combobox', { name: 'Write as' }).selectOption('Somebody new…');
    await page.getByRole('textbox', { name: 'Name' }).fill(HOSTILE);
    await page.keyboard.press('Enter');
    await waitFor(async () => (await page.getByRole('combobox').locator('option:checked').textContent()) === HOSTILE);
    await page.getByRole('combobox', { name: 'Write as' }).selectOption('Ada');
    await page.getByRole('button', { name: 'New group' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill(`Pier ${HOSTILE}`);
    await page.getByRole('checkbox', { name: HOSTILE }).check();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: `Pier ${HOSTILE}` }).waitFor();
    await items.filter({ hasText: 'Ada added Harbour' }).waitFor();
    await waitFor(() => program.heard.some((one) => one.my_chat_member?.new_chat_member.status === 'member'));

    await write(page, 'Just among us');
    await items.filter({ hasText: 'Just among us' }).waitFor();
    await page.getByRole('combobox', { name: 'Write as' }).selectOption(HOSTILE);
    await items.filter({ hasText: 'Just among us' }).getByText('Ada').waitFor();
    const mention = `@${bot.username} berths?`;
    await page.getByRole('textbox', { name: 'Message' }).fill('@fle');
    await page.getByRole('button', { name: `@${bot.username}` }).click();
    await page.keyboard.type('berths?');
    await page.keyboard.press('Enter');
    const answer = items.filter({ hasText: 'Berth 7 is free' });
    await answer.getByRole('button', { name: `${HOSTILE} ${mention}` }).waitFor();
    expect([saidTo(mention), saidTo('Just among us')]).toEqual([1, 0]);

    await page.getByRole('button', { name: 'About this chat' }).click();
    await page.getByRole('checkbox', { name: 'Privacy mode' }).uncheck();
    await page.getByText('The bot gets every message of its groups.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await write(page, 'To everybody');
    await waitFor(() => saidTo('To everybody') === 1);

    await write(page, `/leave@${bot.username}`);
    await items.filter({ hasText: 'Harbour left' }).waitFor();
    await page.getByText('Harbour is not in this group.').waitFor();
    await page.getByRole('button', { name: 'Add it again' }).click();
    await items.filter({ hasText: `${HOSTILE} added Harbour` }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(await page.locator('#messages img, #chats img').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  },
  TEST_MS,
);

test(
  'a photo and files that Ada sends reach the program whole, and what the program sends is saved under its name',
  async () => {
    const { page, context, complaints } = await open();
    const start = page.getByRole('button', { name: 'Start', exact: true });
    await start.click();
    await start.waitFor({ state: 'detached' });
    const photo = Buffer.from(PIXEL, 'base64');
    await page.locator('#files').setInputFiles({ name: 'sea.png', mimeType: 'image/png', buffer: photo });
    await write(page, HOSTILE);
    await waitFor(() => program.files.length === 1);
    expect(program.files[0]).toEqual({ caption: HOSTILE, bytes: photo });
    await waitFor(() => page.evaluate('document.querySelector("#messages img").naturalWidth === 1'));

    // Two files that are dropped, a voice message and a document: each is what it can be.
    const dropped = await page.evaluateHandle(`(() => {
      const all = new DataTransfer();
      all.items.add(new File(['OggS'], 'said.ogg', { type: 'audio/ogg' }));
      all.items.add(new File(['<b>'], ${JSON.stringify(HOSTILE_NAME)}, { type: 'text/html' }));
      return all;
    })()`);
    await page.locator('#chat').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByRole('combobox', { name: 'Send said.ogg as' }).waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await waitFor(() => program.files.length === 3);
    expect(program.files.slice(1).map(({ bytes }) => bytes.toString())).toEqual(['OggS', '<b>']);
    expect(program.heard.some(({ message }) => message?.voice)).toBe(true);

    const large = { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(26 * 1024 * 1024) };
    await page.locator('#files').setInputFiles(large);
    await page.getByText('“film.mp4” has 26 MB. The phone sends files up to 25 MB.').waitFor();

    await write(page, '/report');
    const link = page.getByRole('link', { name: HOSTILE_NAME }).last();
    await waitFor(async () => (await page.getByRole('link', { name: HOSTILE_NAME }).count()) === 2);
    const [download_] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(await readFile(await download_.path(), 'utf8')).toBe(REPORT);
    expect(download_.suggestedFilename()).toMatch(/תקרית\.html$/);
    expect(complaints).toEqual([]);
    await context.close();
  },
  TEST_MS,
);
