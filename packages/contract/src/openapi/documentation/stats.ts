import { showChatStats } from '../../operations/stats.ts';
import { HOURS_OF_A_DAY } from '../../resources/chat-stats.ts';
import { documentOperation } from '../document-operation.ts';
import { CHAT_ID } from './resource-examples.ts';

const hourly = Array.from({ length: HOURS_OF_A_DAY }, (_, hour) => ({ hour, message_count: hour === 10 ? 2 : 0 }));

export const statsDocumentation = [
  documentOperation(showChatStats, {
    example: {
      input: { bot_id: 7, chat_id: CHAT_ID },
      output: {
        total_messages: 1234,
        today_messages: 2,
        active_users: 1,
        top_users: [{ id: 424242, username: 'ada', first_name: 'Ada', message_count: 321 }],
        hourly,
      },
    },
  }),
];
