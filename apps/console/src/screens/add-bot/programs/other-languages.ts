import { type Program, programInFile } from './program.ts';

const python = { file: 'bot.py', run: 'python3 bot.py' };

export const PYTHON_PROGRAMS: readonly Program[] = [
  programInFile({
    ...{ id: 'aiogram', name: 'aiogram', install: "pip install 'aiogram~=3.0'", ...python },
    text: (root) => `import os

from aiogram import Bot, Dispatcher, F
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.types import Message

token = os.environ["BOT_TOKEN"]
bot = Bot(
    token,
    session=AiohttpSession(api=TelegramAPIServer.from_base("${root}")),
)
dispatcher = Dispatcher()


@dispatcher.message(F.text)
async def echo(message: Message):
    await message.answer("You said: " + message.text)


dispatcher.run_polling(bot)
`,
  }),
  programInFile({
    ...{ id: 'python-telegram-bot', name: 'python-telegram-bot' },
    ...{ install: "pip install 'python-telegram-bot~=22.0'", ...python },
    text: (root) => `import os

from telegram.ext import Application, MessageHandler, filters

token = os.environ["BOT_TOKEN"]
application = (
    Application.builder()
    .token(token)
    .base_url("${root}/bot")
    .base_file_url("${root}/file/bot")
    .build()
)


async def echo(update, context):
    message = update.effective_message
    await message.reply_text("You said: " + message.text)


application.add_handler(MessageHandler(filters.TEXT, echo))
application.run_polling()
`,
  }),
  programInFile({
    ...{ id: 'pytelegrambotapi', name: 'pyTelegramBotAPI' },
    ...{ install: "pip install 'pyTelegramBotAPI~=4.0'", ...python },
    text: (root) => `import os

import telebot
from telebot import apihelper

apihelper.API_URL = "${root}/bot{0}/{1}"
apihelper.FILE_URL = "${root}/file/bot{0}/{1}"
bot = telebot.TeleBot(os.environ["BOT_TOKEN"])


@bot.message_handler(content_types=["text"])
def echo(message):
    bot.send_message(message.chat.id, "You said: " + message.text)


bot.infinity_polling()
`,
  }),
];

export const GO_PROGRAM: Program = programInFile({
  ...{ id: 'telebot', name: 'telebot (Go)', file: 'main.go', run: 'go run .' },
  install: 'go mod init bot && go get gopkg.in/telebot.v4@latest',
  text: (root) => `package main

import (
	"log"
	"os"
	"time"

	tele "gopkg.in/telebot.v4"
)

func main() {
	bot, err := tele.NewBot(tele.Settings{
		URL:    "${root}",
		Token:  os.Getenv("BOT_TOKEN"),
		Poller: &tele.LongPoller{Timeout: 30 * time.Second},
	})
	if err != nil {
		log.Fatal(err)
	}
	bot.Handle(tele.OnText, func(c tele.Context) error {
		return c.Send("You said: " + c.Text())
	})
	bot.Start()
}
`,
});
