import { sendMessage as operation } from '@flotilla/contract/operations/messages.ts';
import { sendMessage } from '@flotilla/domain/messages/send-message.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';
import { presentMessage } from './present-message.ts';

export const sendMessageEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  const message = await sendMessage(context, requireBot(context, input.bot_id), by, {
    chatId: input.chat_id,
    text: input.text,
    replyToMessageId: input.reply_to_message_id,
    parseMode: input.parse_mode,
  });
  return presentMessage(message);
});
