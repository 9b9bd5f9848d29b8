import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Action, Command, On, TelegrafModule, Update } from 'nestjs-telegraf';
import { type Context, Input } from 'telegraf';
import { BUTTON, chatOrder, download, FILE, readEchoBotSettings, sayReady } from '../echo-bots/echo-bot-settings.ts';

const settings = readEchoBotSettings();
const inOrder = chatOrder();

class Echo {
  async button(context: Context) {
    await context.reply('a button', { reply_markup: BUTTON });
  }
  async file(context: Context) {
    await context.replyWithDocument(Input.fromBuffer(FILE.bytes, FILE.name));
  }
  async document(context: Context) {
    const { file_id, file_name } = (context.message as { document: { file_id: string; file_name: string } }).document;
    const { file_path } = await context.telegram.getFile(file_id);
    await context.replyWithDocument(Input.fromBuffer(await download(settings, file_path), file_name));
  }
  /** The library sends the value that a handler returns. */
  text(context: Context) {
    return context.text;
  }
  edited(context: Context) {
    return `edited: ${(context.editedMessage as { text: string }).text}`;
  }
  async press(context: Context) {
    await context.answerCbQuery('ok');
    await context.editMessageText('pressed');
  }
}

// Decorators as calls, because Node runs TypeScript only without them.
const HANDLERS: [keyof Echo, MethodDecorator][] = [
  ['button', Command('button')],
  ['file', Command('file')],
  ['document', On('document')],
  ['text', On('text')],
  ['edited', On('edited_message')],
  ['press', Action('press')],
];
for (const [name, decorate] of HANDLERS) {
  decorate(Echo.prototype, name, Object.getOwnPropertyDescriptor(Echo.prototype, name)!);
}
Update()(Echo);

class App {}
Module({
  imports: [
    TelegrafModule.forRoot({
      token: settings.token,
      options: { telegram: { apiRoot: `${settings.apiRoot}/` } },
      middlewares: [(context: Context, next: () => Promise<void>) => inOrder(context.chat?.id, next)],
    }),
  ],
  providers: [Echo],
})(App);

const app = await NestFactory.createApplicationContext(App, { logger: ['error', 'warn'] });
app.enableShutdownHooks();
sayReady();
