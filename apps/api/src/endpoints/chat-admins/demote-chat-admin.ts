import { demoteChatAdmin as operation } from '@flotilla/contract/operations/chat-admins.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { demoteChatAdmin } from '@flotilla/domain/chat-actions/demote-chat-admin.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';

export const demoteChatAdminEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  await demoteChatAdmin(context, requireBot(context, input.bot_id), by, {
    chatId: input.chat_id,
    userId: input.user_id,
  });
  return OK;
});
