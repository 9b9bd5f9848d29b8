import { Bot, InputFile } from 'node-telegram-bot-api';
import { createWebhookServer } from 'node-telegram-bot-api/node';
import { BUTTON, chatOrder, download, FILE, readEchoBotSettings, sayReady, webhookUrl } from './echo-bot-settings.ts';

const settings = readEchoBotSettings();
const inOrder = chatOrder();
const bot = new Bot(settings.token, { apiRoot: settings.apiRoot });
const { api } = bot;

async function fetchFile(fileId: string): Promise<Buffer> {
  const file = await api.getFile({ file_id: fileId });
  return download(settings, file.file_path);
}

bot.on('message', (context) => {
  const message = context.message!;
  const chat_id = message.chat.id;
  return inOrder(chat_id, async () => {
    if (message.text === '/button') return api.sendMessage({ chat_id, text: 'a button', reply_markup: BUTTON });
    if (message.text === '/file') {
      return api.sendDocument({ chat_id, document: new InputFile(FILE.bytes, { filename: FILE.name }) });
    }
    if (message.text !== undefined) return api.sendMessage({ chat_id, text: message.text });
    const photo = message.photo?.at(-1);
    if (photo !== undefined) {
      const bytes = await fetchFile(photo.file_id);
      return api.sendPhoto({ chat_id, photo: new InputFile(bytes, { filename: 'echo.jpg' }) });
    }
    if (message.document === undefined) return undefined;
    const bytes = await fetchFile(message.document.file_id);
    const filename = message.document.file_name ?? 'file';
    return api.sendDocument({ chat_id, document: new InputFile(bytes, { filename }) });
  });
});
bot.on('edited_message', (context) => {
  const message = context.editedMessage!;
  return api.sendMessage({ chat_id: message.chat.id, text: `edited: ${message.text}` });
});
bot.on('callback_query', async (context) => {
  const query = context.callbackQuery!;
  await api.answerCallbackQuery({ callback_query_id: query.id, text: 'ok' });
  const { message_id, chat } = query.message!;
  await api.editMessageText({ chat_id: chat.id, message_id, text: 'pressed' });
});
bot.catch((error) => process.stderr.write(`echo bot: ${String(error)}\n`));

if (settings.mode === 'pull') {
  process.once('SIGTERM', () => bot.stop());
  sayReady();
  await bot.startPolling();
} else {
  const server = createWebhookServer(bot, { path: '/hook', secretToken: settings.secret });
  server.listen(settings.port, '127.0.0.1', async () => {
    await api.setWebhook({ url: webhookUrl(settings), secret_token: settings.secret });
    sayReady();
  });
}
