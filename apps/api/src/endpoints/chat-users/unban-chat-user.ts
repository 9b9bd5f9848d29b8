import { unbanChatUser as operation } from '@flotilla/contract/operations/chat-users.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { unbanChatUser } from '@flotilla/domain/chat-actions/unban-chat-user.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';

export const unbanChatUserEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  await unbanChatUser(context, requireBot(context, input.bot_id), by, {
    chatId: input.chat_id,
    userId: input.user_id,
  });
  return OK;
});
