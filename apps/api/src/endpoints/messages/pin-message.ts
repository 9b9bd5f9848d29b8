import { pinMessage as operation } from '@flotilla/contract/operations/messages.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { pinMessage } from '@flotilla/domain/chat-actions/pin-message.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';

export const pinMessageEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  await pinMessage(context, requireBot(context, input.bot_id), by, {
    chatId: input.chat_id,
    messageId: input.message_id,
  });
  return OK;
});
