import type { TopicResource, topicOperations } from '@flotilla/contract/topics.ts';
import { type Topic, topicStore } from '@flotilla/domain/records/chats/topic-store.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

export const topicHandlers: Handlers<typeof topicOperations> = {
  async listTopics(context, { input }) {
    const { limit, offset } = input;
    const chat = { bot_id: requireBot(context, input.bot_id).id, chat_id: input.chat_id };
    const after = decodeCursor(input.before, ['seconds', 'id']);
    const topics = topicStore(context.db);
    const [rows, total] = await Promise.all([
      topics.list(chat, { limit: limit + 1, offset, after }),
      topics.count(chat),
    ]);
    const page = cutPage(rows, limit, total, (topic) => [topic.last_date, topic.thread_id]);
    return { ...page, rows: page.rows.map(presentTopic) };
  },
};

function presentTopic(topic: Topic): TopicResource {
  return {
    chat_id: topic.chat_id,
    thread_id: topic.thread_id,
    ...withoutNulls({
      name: topic.name,
      icon_color: topic.icon_color,
      icon_custom_emoji_id: topic.icon_custom_emoji_id || null,
    }),
    closed: topic.closed,
    ...withoutNulls({ last_message_at: topic.last_date === 0 ? null : new Date(topic.last_date * 1000).toISOString() }),
  };
}
