import { z } from 'zod';
import { chatId, ownId } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { chatStatsResource } from '../resources/chat-stats.ts';

export const showChatStats = defineOperation({
  name: 'showChatStats',
  method: 'GET',
  paths: ['/api/stats'],
  role: 'any',
  summary: 'How much is written in a chat, by whom and when.',
  input: z.object({ bot_id: ownId(), chat_id: chatId() }),
  output: chatStatsResource,
  botInputs: ['bot_id'],
});
