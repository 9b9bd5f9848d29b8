import type { TopicResource } from '@flotilla/contract/topics.ts';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../call.ts';
import { REFRESH_MS } from '../../../queries.ts';
import { useWords } from '../../../words/words.tsx';
import { useChat } from './use-chat.ts';
import type { ChatId } from './use-window.ts';

const MOST = 200;
const NONE: readonly TopicResource[] = [];

/** The topics of a chat, General first, then the one with the newest message. A bot 0 is none. */
export function useTopics(chat: ChatId) {
  const { bot_id, chat_id } = chat;
  const hasTopics = (useChat(chat)?.topic_count ?? 0) > 0;
  const { inbox: words } = useWords();
  const { data = NONE, refetch } = useQuery({
    queryKey: ['topics', bot_id, chat_id],
    queryFn: async ({ signal }) => {
      const topics = await call('listTopics', { bot_id, chat_id, limit: MOST }, signal);
      return topics.toSorted((one, other) => Number(other.thread_id === GENERAL) - Number(one.thread_id === GENERAL));
    },
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS / 2,
    enabled: hasTopics,
    retry: false,
  });
  const nameOf = (threadId: number): string =>
    data.find((topic) => topic.thread_id === threadId)?.name ?? words.thread(String(threadId));
  return { list: data, nameOf, refresh: () => void refetch({ cancelRefetch: false }) };
}

const GENERAL = 1;
