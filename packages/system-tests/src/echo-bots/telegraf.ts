import { createServer } from 'node:http';
import { Input, Telegraf } from 'telegraf';
import { message } from 'telegraf/filters';
import { BUTTON, chatOrder, download, FILE, readEchoBotSettings, sayReady, webhookUrl } from './echo-bot-settings.ts';

const settings = readEchoBotSettings();
const inOrder = chatOrder();
// Telegraf drops the path of an apiRoot that does not end in a slash.
const bot = new Telegraf(settings.token, { telegram: { apiRoot: `${settings.apiRoot}/` } });

bot.use((context, next) => inOrder(context.chat?.id, next));
bot.command('button', (context) => context.reply('a button', { reply_markup: BUTTON }));
bot.command('file', (context) => context.replyWithDocument(Input.fromBuffer(FILE.bytes, FILE.name)));
bot.on(message('text'), (context) => context.reply(context.message.text));
bot.on(message('photo'), async (context) => {
  const file = await context.telegram.getFile(context.message.photo.at(-1)!.file_id);
  await context.replyWithPhoto(Input.fromBuffer(await download(settings, file.file_path), 'echo.jpg'));
});
bot.on(message('document'), async (context) => {
  const { file_id, file_name } = context.message.document;
  const file = await context.telegram.getFile(file_id);
  await context.replyWithDocument(Input.fromBuffer(await download(settings, file.file_path), file_name ?? 'file'));
});
bot.on('edited_message', async (context) => {
  if ('text' in context.editedMessage) await context.reply(`edited: ${context.editedMessage.text}`);
});
bot.on('callback_query', async (context) => {
  await context.answerCbQuery('ok');
  await context.editMessageText('pressed');
});
bot.catch((error) => {
  process.stderr.write(`echo bot: ${String(error)}\n`);
});

if (settings.mode === 'pull') {
  process.once('SIGTERM', () => bot.stop('SIGTERM'));
  await bot.launch(sayReady);
} else {
  const server = createServer(bot.webhookCallback('/hook', { secretToken: settings.secret }));
  server.listen(settings.port, '127.0.0.1', async () => {
    await bot.telegram.setWebhook(webhookUrl(settings), { secret_token: settings.secret });
    sayReady();
  });
}
