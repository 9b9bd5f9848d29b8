import { showChatStats } from '@flotilla/contract/operations/stats.ts';
import { readChatStats } from '@flotilla/domain/stats/read-chat-stats.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';
import { presentChatStats } from './present-chat-stats.ts';

export const showChatStatsEndpoint = defineEndpoint(showChatStats, async (context, { input }) => {
  const botId = requireBot(context, input.bot_id).id;
  return presentChatStats(await readChatStats(context, { botId, chatId: input.chat_id }));
});
