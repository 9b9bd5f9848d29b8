import { banChatUser as operation } from '@flotilla/contract/operations/chat-users.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { banChatUser } from '@flotilla/domain/chat-actions/ban-chat-user.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';

export const banChatUserEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  await banChatUser(context, requireBot(context, input.bot_id), by, {
    chatId: input.chat_id,
    userId: input.user_id,
    untilDateS: input.until_date,
    revokeMessages: input.revoke_messages,
  });
  return OK;
});
