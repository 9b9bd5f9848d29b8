import type { ChatStatsResource, statsOperations } from '@flotilla/contract/stats.ts';
import { type ChatStats, readChatStats } from '@flotilla/domain/records/stats/read-chat-stats.ts';
import { readChatWeekdays } from '@flotilla/domain/records/stats/read-chat-weekdays.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

export const statsHandlers: Handlers<typeof statsOperations> = {
  async showChatStats(context, { input }) {
    const { weeks, time_zone } = input;
    const chat = { bot_id: requireBot(context, input.bot_id).id, chat_id: input.chat_id };
    const [stats, weekdays] = await Promise.all([
      readChatStats(context, chat),
      weeks === undefined ? null : readChatWeekdays(context, chat, { weeks, time_zone }),
    ]);
    return { ...presentChatStats(stats), ...(weekdays === null ? {} : { by_weekday: presentWeekdays(weekdays) }) };
  },
};

function presentWeekdays(counts: number[][]): NonNullable<ChatStatsResource['by_weekday']> {
  return counts.map((message_counts, weekday) => ({ weekday, message_counts }));
}

function presentChatStats({ top_users, hourly, ...counts }: ChatStats): ChatStatsResource {
  return {
    ...counts,
    top_users: top_users.map(({ id, username, first_name, last_name, message_count }) => ({
      id,
      ...withoutNulls({ username, first_name, last_name }),
      message_count,
    })),
    hourly: hourly.map((message_count, hour) => ({ hour, message_count })),
  };
}
