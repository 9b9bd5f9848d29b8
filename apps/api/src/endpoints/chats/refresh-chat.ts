import { refreshChat as operation } from '@flotilla/contract/operations/chats.ts';
import { refreshChat } from '@flotilla/domain/chat-actions/refresh-chat.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';
import { presentChat } from './present-chat.ts';

export const refreshChatEndpoint = defineEndpoint(operation, async (context, { input }) =>
  presentChat(await refreshChat(context, requireBot(context, input.bot_id), input.chat_id)),
);
