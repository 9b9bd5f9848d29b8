import { deleteMessage as operation } from '@flotilla/contract/operations/messages.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { deleteMessage } from '@flotilla/domain/chat-actions/delete-message.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';

export const deleteMessageEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  await deleteMessage(context, requireBot(context, input.bot_id), by, {
    chatId: input.chat_id,
    messageId: input.message_id,
  });
  return OK;
});
