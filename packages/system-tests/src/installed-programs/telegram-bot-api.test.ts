import { type ChildProcess, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { askForFile, editText, openEchoSession, pressButton, sayText } from '../echo-bots/echo-session.ts';
import { installPackages } from './install-packages.ts';

const PROGRAM = `
const { createReadStream } = require('node:fs');
const TG = require('telegram-bot-api');

const [token, baseUrl] = process.argv.slice(2);
const api = new TG({ token, baseUrl });
const reply_markup = { inline_keyboard: [[{ text: 'press me', callback_data: 'press' }]] };
api.setMessageProvider(new TG.GetUpdateMessageProvider());
api.on('update', async ({ message, edited_message, callback_query }) => {
  if (callback_query) {
    const { chat, message_id } = callback_query.message;
    await api.answerCallbackQuery({ callback_query_id: callback_query.id, text: 'ok' });
    await api.editMessageText({ chat_id: chat.id, message_id, text: 'pressed' });
    return;
  }
  if (edited_message) return api.sendMessage({ chat_id: edited_message.chat.id, text: 'edited: ' + edited_message.text });
  const chat_id = message.chat.id;
  if (message.text === '/button') await api.sendMessage({ chat_id, text: 'a button', reply_markup });
  else if (message.text === '/file') await api.sendDocument({ chat_id, document: createReadStream(__filename) });
  else await api.sendMessage({ chat_id, text: message.text });
});
api.start();
`;

let fleet: Fleet;
let folder: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  [fleet, folder] = await Promise.all([startFleet(), installPackages({ 'telegram-bot-api': '2.0.1' })]);
  await writeFile(join(folder, 'program.js'), PROGRAM);
}, 300_000);
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await Promise.all([fleet.stop(), rm(folder, { recursive: true, force: true })]);
}, 60_000);

test.each(['bot', 'program'] as const)(
  "a bot in npm's telegram-bot-api works as it does at the platform, with a token of the %s",
  async (of) => {
    const bot = await fleet.addBot({ long_poll_enabled: true });
    const { id } = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, name: 'echo' });
    const made = await fleet.rest<{ token: string }>('/api/programs/tokens/add', { program_id: id, name: 'own' });
    const args = [join(folder, 'program.js'), of === 'bot' ? bot.token : made.token, `${fleet.url}/tgapi`];
    running.push(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }));
    const session = await openEchoSession(fleet.control, bot.platformId);
    expect((await sayText(session, 'hello, wörld & <b>')).text).toBe('hello, wörld & <b>');
    expect((await askForFile(session)).file).toMatchObject({ name: 'program.js' });
    expect(await pressButton(session)).toEqual({ text: 'pressed', answered: 'ok' });
    expect((await editText(session, 'better')).text).toBe('edited: better');
  },
  120_000,
);
