import { createServer } from 'node:http';
import TelegramBot, { type Message } from 'ntba-0.67';
import { BUTTON, chatOrder, FILE, readEchoBotSettings, sayReady, webhookUrl } from './echo-bot-settings.ts';

const settings = readEchoBotSettings();
const inOrder = chatOrder();
const bot = new TelegramBot(settings.token, { baseApiUrl: settings.apiRoot, polling: settings.mode === 'pull' });

async function fetchFile(fileId: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bot.getFileStream(fileId)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function echo({ chat, text, photo, document }: Message): Promise<unknown> {
  if (text === '/button') return bot.sendMessage(chat.id, 'a button', { reply_markup: BUTTON });
  if (text === '/file') {
    return bot.sendDocument(chat.id, FILE.bytes, {}, { filename: FILE.name, contentType: 'application/octet-stream' });
  }
  if (text !== undefined) return bot.sendMessage(chat.id, text);
  const largest = photo?.at(-1);
  if (largest !== undefined) {
    return bot.sendPhoto(
      chat.id,
      await fetchFile(largest.file_id),
      {},
      { filename: 'echo.jpg', contentType: 'image/jpeg' },
    );
  }
  if (document === undefined) return undefined;
  const file = { filename: document.file_name ?? 'file', contentType: 'application/octet-stream' };
  return bot.sendDocument(chat.id, await fetchFile(document.file_id), {}, file);
}

bot.on('message', (message) => void inOrder(message.chat.id, () => echo(message)));
bot.on('edited_message', ({ chat, text }) => {
  void inOrder(chat.id, () => bot.sendMessage(chat.id, `edited: ${text}`));
});
bot.on('callback_query', ({ id, message }) => {
  void inOrder(message.chat.id, async () => {
    await bot.answerCallbackQuery(id, { text: 'ok' });
    await bot.editMessageText('pressed', { chat_id: message.chat.id, message_id: message.message_id });
  });
});
bot.on('polling_error', (error) => process.stderr.write(`echo bot: ${error.message}\n`));

if (settings.mode === 'pull') {
  process.once('SIGTERM', () => void bot.stopPolling().then(() => process.exit(0)));
  sayReady();
} else {
  // The library's webhook server cannot check a secret, so the bot has its own server, as the documentation shows.
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const known = req.headers['x-telegram-bot-api-secret-token'] === settings.secret;
      if (known) bot.processUpdate(JSON.parse(Buffer.concat(chunks).toString('utf8')) as object);
      res.writeHead(known ? 200 : 401).end();
    });
  });
  server.listen(settings.port, '127.0.0.1', async () => {
    await bot.setWebHook(webhookUrl(settings), { secret_token: settings.secret });
    sayReady();
  });
}
