import TeleBot from 'telebot';
import { FILE, readEchoBotSettings, sayReady } from '../echo-bots/echo-bot-settings.ts';

const settings = readEchoBotSettings();
const own = { url: `http://127.0.0.1:${settings.port}`, host: '127.0.0.1', port: settings.port };
const bot = new TeleBot({ token: settings.token, ...(settings.mode === 'webhook' ? { webhook: own } : {}) });
bot.api = `${settings.apiRoot}/bot${settings.token}`;
bot.fileLink = `${settings.apiRoot}/file/bot${settings.token}/`;

bot.on('text', ({ text, chat, reply }) => {
  const replyMarkup = bot.inlineKeyboard([[bot.inlineButton('press me', { callback: 'press' })]]);
  if (text === '/button') return reply.text('a button', { replyMarkup });
  if (text === '/file') return bot.sendDocument(chat.id, FILE.bytes, { fileName: FILE.name });
  return reply.text(text!);
});
bot.on('document', async ({ chat, document }) => {
  const { fileLink } = await bot.getFile(document.file_id);
  const bytes = Buffer.from(await (await fetch(fileLink)).arrayBuffer());
  await bot.sendDocument(chat.id, bytes, { fileName: document.file_name });
});
bot.on('edit', ({ text, reply }) => reply.text(`edited: ${text}`));
bot.on('callbackQuery', async ({ id, message }) => {
  await bot.answerCallbackQuery(id, { text: 'ok' });
  await bot.editMessageText({ chatId: message.chat.id, messageId: message.message_id }, 'pressed');
});
bot.on('error', ({ error }) => process.stderr.write(`telebot: ${JSON.stringify(error)}\n`));

await bot.start();
sayReady();
