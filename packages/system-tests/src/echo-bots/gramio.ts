import { createServer } from 'node:http';
import { Bot, webhookHandler } from 'gramio';
import { BUTTON, chatOrder, FILE, readEchoBotSettings, sayReady, webhookUrl } from './echo-bot-settings.ts';

const settings = readEchoBotSettings();
const inOrder = chatOrder();
const bot = new Bot(settings.token, { api: { baseURL: `${settings.apiRoot}/bot` } });

async function asFile(fileId: string, name: string): Promise<File> {
  return new File([new Uint8Array(await bot.downloadFile(fileId))], name);
}

bot.on('message', (context) =>
  inOrder(context.chat.id, async () => {
    const chat_id = context.chat.id;
    const { text, photo, document } = context.payload;
    if (text === '/button') return bot.api.sendMessage({ chat_id, text: 'a button', reply_markup: BUTTON });
    if (text === '/file') {
      return bot.api.sendDocument({ chat_id, document: new File([new Uint8Array(FILE.bytes)], FILE.name) });
    }
    if (text !== undefined) return bot.api.sendMessage({ chat_id, text });
    const largest = photo?.at(-1);
    if (largest !== undefined) {
      return bot.api.sendPhoto({ chat_id, photo: await asFile(largest.file_id, 'echo.jpg') });
    }
    if (document === undefined) return undefined;
    const file = await asFile(document.file_id, document.file_name ?? 'file');
    return bot.api.sendDocument({ chat_id, document: file });
  }),
);
bot.on('edited_message', (context) =>
  bot.api.sendMessage({ chat_id: context.chat.id, text: `edited: ${context.payload.text}` }),
);
bot.on('callback_query', async (context) => {
  const message = context.payload.message!;
  await bot.api.answerCallbackQuery({ callback_query_id: context.payload.id, text: 'ok' });
  await bot.api.editMessageText({ chat_id: message.chat.id, message_id: message.message_id, text: 'pressed' });
});
bot.onError(({ error }) => {
  process.stderr.write(`echo bot: ${String(error)}\n`);
});

if (settings.mode === 'pull') {
  process.once('SIGTERM', () => void bot.stop().then(() => process.exit(0)));
  await bot.start();
  sayReady();
} else {
  await bot.init();
  const server = createServer(webhookHandler(bot, 'http', settings.secret));
  server.listen(settings.port, '127.0.0.1', async () => {
    await bot.api.setWebhook({ url: webhookUrl(settings), secret_token: settings.secret });
    sayReady();
  });
}
