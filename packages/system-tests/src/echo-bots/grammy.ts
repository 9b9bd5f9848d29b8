import { createServer } from 'node:http';
import { Bot, InputFile, webhookCallback } from 'grammy';
import { BUTTON, download, FILE, readEchoBotSettings, sayReady, webhookUrl } from './echo-bot-settings.ts';

const settings = readEchoBotSettings();
const bot = new Bot(settings.token, { client: { apiRoot: settings.apiRoot } });

bot.command('button', (context) => context.reply('a button', { reply_markup: BUTTON }));
bot.command('file', (context) => context.replyWithDocument(new InputFile(FILE.bytes, FILE.name)));
bot.on('message:text', (context) => context.reply(context.message.text));
bot.on('message:photo', async (context) => {
  const file = await context.getFile();
  await context.replyWithPhoto(new InputFile(await download(settings, file.file_path), 'echo.jpg'));
});
bot.on('message:document', async (context) => {
  const file = await context.getFile();
  const bytes = await download(settings, file.file_path);
  await context.replyWithDocument(new InputFile(bytes, context.message.document.file_name ?? 'file'));
});
bot.on('edited_message:text', (context) => context.reply(`edited: ${context.editedMessage.text}`));
bot.on('callback_query:data', async (context) => {
  await context.answerCallbackQuery({ text: 'ok' });
  await context.editMessageText('pressed');
});
bot.catch((error) => process.stderr.write(`echo bot: ${String(error.error)}\n`));

if (settings.mode === 'pull') {
  process.once('SIGTERM', () => void bot.stop());
  await bot.start({ onStart: sayReady });
} else {
  const server = createServer(webhookCallback(bot, 'http', { secretToken: settings.secret }));
  server.listen(settings.port, '127.0.0.1', async () => {
    await bot.api.setWebhook(webhookUrl(settings), { secret_token: settings.secret });
    sayReady();
  });
}
