import { setChatAdminTitle as operation } from '@flotilla/contract/operations/chat-admins.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { setChatAdminTitle } from '@flotilla/domain/chat-actions/set-chat-admin-title.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';

export const setChatAdminTitleEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  await setChatAdminTitle(context, requireBot(context, input.bot_id), by, {
    chatId: input.chat_id,
    userId: input.user_id,
    title: input.title,
  });
  return OK;
});
