import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { TopicsTable } from '@flotilla/database/chat-tables.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Selectable } from 'kysely';

export type Topic = Selectable<TopicsTable>;

export interface TopicQuery {
  limit: number;
  offset: number;
  /** The last topic of the previous page. */
  after: readonly [lastDate: number, threadId: number] | null;
}

/** SQL of topics, for reading. */
export function topicStore(db: Database) {
  const topicsOf = ({ bot_id, chat_id }: ChatOfBot) =>
    db.selectFrom('topics').where('bot_id', '=', bot_id).where('chat_id', '=', chat_id).where('deleted', '=', false);
  return {
    /** The one with the newest message first. */
    list(chat: ChatOfBot, { limit, offset, after }: TopicQuery): Promise<Topic[]> {
      const topics = topicsOf(chat)
        .selectAll()
        .orderBy('last_date', 'desc')
        .orderBy('thread_id', 'desc')
        .limit(limit)
        .offset(offset);
      if (after === null) return topics.execute();
      return topics.where((row) => row(row.refTuple('last_date', 'thread_id'), '<', row.tuple(...after))).execute();
    },

    async count(chat: ChatOfBot): Promise<number> {
      const counted = topicsOf(chat).select((row) => row.fn.countAll<number>().as('count'));
      return (await counted.executeTakeFirstOrThrow()).count;
    },
  };
}
