import { createServer } from 'node:http';
import puregram from 'puregram';
import { BUTTON, chatOrder, FILE, readEchoBotSettings, sayReady, webhookUrl } from './echo-bot-settings.ts';

const { MediaSource, Telegram } = puregram;
const settings = readEchoBotSettings();
const inOrder = chatOrder();
const telegram = Telegram.fromToken(settings.token, { apiBaseUrl: `${settings.apiRoot}/bot` });

async function asSource(fileId: string, filename: string) {
  const bytes = await telegram.downloadFile(fileId);
  if (bytes === null) throw new Error('the file could not be downloaded');
  return MediaSource.buffer(bytes, { filename });
}

telegram.updates.on('message', (context) =>
  inOrder(context.chatId, async () => {
    const chat_id = context.chatId;
    const { text, photo, document } = context.payload;
    if (text === '/button') return telegram.api.sendMessage({ chat_id, text: 'a button', reply_markup: BUTTON });
    if (text === '/file') {
      const document = MediaSource.buffer(FILE.bytes, { filename: FILE.name });
      return telegram.api.sendDocument({ chat_id, document });
    }
    if (text !== undefined) return telegram.api.sendMessage({ chat_id, text });
    const largest = photo?.at(-1);
    if (largest !== undefined) {
      return telegram.api.sendPhoto({ chat_id, photo: await asSource(largest.file_id, 'echo.jpg') });
    }
    if (document === undefined) return undefined;
    const source = await asSource(document.file_id, document.file_name ?? 'file');
    return telegram.api.sendDocument({ chat_id, document: source });
  }),
);
telegram.updates.on('edited_message', (context) =>
  telegram.api.sendMessage({ chat_id: context.chatId, text: `edited: ${context.payload.text}` }),
);
telegram.updates.on('callback_query', async (context) => {
  const message = context.payload.message!;
  await telegram.api.answerCallbackQuery({ callback_query_id: context.payload.id, text: 'ok' });
  await telegram.api.editMessageText({ chat_id: message.chat.id, message_id: message.message_id, text: 'pressed' });
});

if (settings.mode === 'pull') {
  process.once('SIGTERM', () => process.exit(0));
  await telegram.updates.startPolling();
  sayReady();
} else {
  const server = createServer(telegram.updates.getWebhookMiddleware(settings.secret));
  server.listen(settings.port, '127.0.0.1', async () => {
    await telegram.api.setWebhook({ url: webhookUrl(settings), secret_token: settings.secret });
    sayReady();
  });
}
