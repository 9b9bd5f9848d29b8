import { readFile } from 'node:fs/promises';
import { autoRetry } from '@grammyjs/auto-retry';
import { type Conversation, type ConversationFlavor, conversations, createConversation } from '@grammyjs/conversations';
import { type FileFlavor, hydrateFiles } from '@grammyjs/files';
import { Menu } from '@grammyjs/menu';
import { run, sequentialize } from '@grammyjs/runner';
import { Bot, type Context, InputFile } from 'grammy';
import { readEchoBotSettings, sayReady } from '../echo-bots/echo-bot-settings.ts';

type MyContext = FileFlavor<ConversationFlavor<Context>>;

const settings = readEchoBotSettings();
const bot = new Bot<MyContext>(settings.token, { client: { apiRoot: settings.apiRoot } });
bot.api.config.use(autoRetry());
bot.api.config.use(hydrateFiles(settings.token, { apiRoot: settings.apiRoot }));

const menu = new Menu<MyContext>('counter')
  .text(
    (context) => `seen by ${context.from?.first_name}`,
    (context) => context.menu.update(),
  )
  .row()
  .submenu('more', 'details');
const details = new Menu<MyContext>('details')
  .text('done', (context) => context.editMessageText('chosen'))
  .back('back');
menu.register(details);

async function order(conversation: Conversation<MyContext, Context>, context: Context) {
  await context.reply('How many?');
  const { message } = await conversation.waitFor('message:text');
  await context.reply('Which colour?');
  const colour = await conversation.form.text();
  await context.reply(`${message.text} in ${colour}`);
}

bot.use(sequentialize((context) => context.chat?.id.toString()));
bot.use(conversations());
bot.use(createConversation(order));
bot.use(menu);
bot.command('menu', (context) => context.reply('a menu', { reply_markup: menu }));
bot.command('order', (context) => context.conversation.enter('order'));
bot.on('message:document', async (context) => {
  const file = await context.getFile();
  const bytes = await readFile(await file.download());
  await context.replyWithDocument(new InputFile(bytes, context.message.document.file_name ?? 'file'));
});
bot.on('message:text', (context) => context.reply(context.message.text));
bot.catch((error) => process.stderr.write(`grammY: ${String(error.error)}\n`));

// The runner polls without bot.start(), and so without the webhook's removal that start() begins with.
await bot.init();
const runner = run(bot);
process.once('SIGTERM', () => void runner.stop());
sayReady();
