"""The echo bot in python-telegram-bot 13. Its one argument is the settings as JSON."""
import io
import json
import sys
import time

from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.ext import CallbackQueryHandler, CommandHandler, Filters, MessageHandler, Updater

settings = json.loads(sys.argv[1])
updater = Updater(
    settings["token"],
    base_url=settings["apiRoot"] + "/bot",
    base_file_url=settings["apiRoot"] + "/file/bot",
)


def fetch(context, file_id):
    """Downloads a file; the library knows where from."""
    return bytes(context.bot.get_file(file_id).download_as_bytearray())


def button(update, context):
    """Sends the button."""
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("press me", callback_data="press")]])
    update.message.reply_text("a button", reply_markup=keyboard)


def file(update, context):
    """Sends a document of its own, as the bots in other languages do."""
    content = io.BytesIO(b"flotilla" * 5000)
    context.bot.send_document(update.message.chat_id, content, filename="a report.bin", timeout=60)


def text(update, context):
    """Echoes a text, new or edited."""
    if update.edited_message:
        context.bot.send_message(update.edited_message.chat_id, "edited: " + update.edited_message.text)
    else:
        context.bot.send_message(update.message.chat_id, update.message.text)


def photo(update, context):
    """Sends a photo back as new bytes."""
    content = fetch(context, update.message.photo[-1].file_id)
    context.bot.send_photo(update.message.chat_id, io.BytesIO(content), filename="echo.jpg", timeout=60)


def document(update, context):
    """Sends a document back as new bytes under its own name."""
    sent = update.message.document
    content = io.BytesIO(fetch(context, sent.file_id))
    context.bot.send_document(update.message.chat_id, content, filename=sent.file_name, timeout=60)


def pressed(update, context):
    """Answers the button."""
    update.callback_query.answer("ok")
    update.callback_query.edit_message_text("pressed")


def failed(update, context):
    """Reports what a handler raised."""
    print("echo bot:", context.error, file=sys.stderr, flush=True)


dispatcher = updater.dispatcher
dispatcher.add_handler(CommandHandler("button", button, Filters.update.message))
dispatcher.add_handler(CommandHandler("file", file, Filters.update.message))
dispatcher.add_handler(MessageHandler(Filters.text, text))
dispatcher.add_handler(MessageHandler(Filters.photo, photo))
dispatcher.add_handler(MessageHandler(Filters.document, document))
dispatcher.add_handler(CallbackQueryHandler(pressed))
dispatcher.add_error_handler(failed)

if settings.get("mode", "pull") == "pull":
    updater.start_polling()
else:
    # Version 13 cannot check the secret header, but the bot registers a secret anyway.
    url = f"http://127.0.0.1:{settings['port']}/hook"
    updater.start_webhook(listen="127.0.0.1", port=settings["port"], url_path="hook", webhook_url=url)
    if settings.get("secret"):
        # The platform allows one setWebhook per second.
        time.sleep(1.2)
        updater.bot.set_webhook(url, api_kwargs={"secret_token": settings["secret"]})
print("ready", flush=True)
updater.idle()
