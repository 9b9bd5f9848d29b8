import { addAbortSignal } from 'node:stream';
import { OK } from '@flotilla/contract/fields.ts';
import type { messageActionOperations } from '@flotilla/contract/message-actions.ts';
import { deleteMessage } from '@flotilla/domain/chat-actions/delete-message.ts';
import { pinMessage } from '@flotilla/domain/chat-actions/pin-message.ts';
import { unpinMessage } from '@flotilla/domain/chat-actions/unpin-message.ts';
import { editMessage } from '@flotilla/domain/messages/edit-message.ts';
import { sendMessage } from '@flotilla/domain/messages/send-message.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { contentOf } from './content-of-call.ts';
import { presentMessage } from './present-message.ts';

export const messageActionHandlers: Handlers<typeof messageActionOperations> = {
  async sendMessage(context, { input, file, by, whileAllowed }) {
    const message = {
      chatId: input.chat_id,
      content: contentOf(input, file),
      parseMode: input.parse_mode,
      replyToMessageId: input.reply_to_message_id,
      threadId: input.message_thread_id,
      silent: input.disable_notification,
      replyMarkup: input.reply_markup,
    };
    const bot = requireBot(context, input.bot_id);
    const send = () => sendMessage(context, bot, by, message);
    if (file === null) return presentMessage(bot, await send());
    const sent = await whileAllowed((ended) => {
      addAbortSignal(ended, file);
      return send();
    });
    return presentMessage(bot, sent);
  },

  async editMessage(context, { input, by }) {
    const bot = requireBot(context, input.bot_id);
    const message = await editMessage(context, bot, by, {
      ...messageOf(input),
      text: input.text,
      parseMode: input.parse_mode,
      replyMarkup: input.reply_markup,
    });
    return presentMessage(bot, message);
  },

  async deleteMessage(context, { input, by }) {
    await deleteMessage(context, requireBot(context, input.bot_id), by, messageOf(input));
    return OK;
  },

  async pinMessage(context, { input, by }) {
    await pinMessage(context, requireBot(context, input.bot_id), by, messageOf(input));
    return OK;
  },

  async unpinMessage(context, { input, by }) {
    await unpinMessage(context, requireBot(context, input.bot_id), by, messageOf(input));
    return OK;
  },
};

function messageOf(input: { chat_id: number; message_id: number }) {
  return { chatId: input.chat_id, messageId: input.message_id };
}
