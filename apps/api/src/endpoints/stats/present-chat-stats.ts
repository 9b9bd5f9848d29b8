import type { ChatStatsResource } from '@flotilla/contract/resources/chat-stats.ts';
import type { ChatStats } from '@flotilla/domain/stats/read-chat-stats.ts';
import { withoutNulls } from '../without-nulls.ts';

export function presentChatStats(stats: ChatStats): ChatStatsResource {
  return {
    total_messages: stats.totalMessages,
    today_messages: stats.todayMessages,
    active_users: stats.activeUsers,
    top_users: stats.topUsers.map(({ id, username, firstName, lastName, messageCount }) => ({
      id,
      ...withoutNulls({ username, first_name: firstName, last_name: lastName }),
      message_count: messageCount,
    })),
    hourly: stats.hourly.map((message_count, hour) => ({ hour, message_count })),
  };
}
