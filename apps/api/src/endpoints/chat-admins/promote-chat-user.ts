import { promoteChatUser as operation } from '@flotilla/contract/operations/chat-admins.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { promoteChatUser } from '@flotilla/domain/chat-actions/promote-chat-user.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';

export const promoteChatUserEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  await promoteChatUser(context, requireBot(context, input.bot_id), by, {
    chatId: input.chat_id,
    userId: input.user_id,
    permissions: input.permissions,
  });
  return OK;
});
