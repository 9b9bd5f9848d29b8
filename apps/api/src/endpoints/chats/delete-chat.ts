import { deleteChat as operation } from '@flotilla/contract/operations/chats.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { deleteChat } from '@flotilla/domain/chats/delete-chat.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireManagedBot } from '../bots/require-bot.ts';

export const deleteChatEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  await deleteChat(context, by, requireManagedBot(context, input.bot_id).id, input.chat_id);
  return OK;
});
