import { unpinMessage as operation } from '@flotilla/contract/operations/messages.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { unpinMessage } from '@flotilla/domain/chat-actions/unpin-message.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';

export const unpinMessageEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  await unpinMessage(context, requireBot(context, input.bot_id), by, {
    chatId: input.chat_id,
    messageId: input.message_id,
  });
  return OK;
});
