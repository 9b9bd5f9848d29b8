import type { ChatResource } from '@flotilla/contract/chats.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../call.ts';
import { CHATS, chatKey } from '../chats/use-chats.ts';
import type { ChatId } from './use-window.ts';

const KNOWN_MS = 5 * 60_000;

/** What is known about a chat: from the list, or from the platform where the list does not have it. */
export function useChat({ botId, chatId }: ChatId): ChatResource | undefined {
  const queries = useQueryClient();
  const key = chatKey({ bot_id: botId, id: chatId });
  const listed = () =>
    queries
      .getQueriesData<{ rows?: ChatResource[] }>({ queryKey: [CHATS] })
      .flatMap(([, page]) => page?.rows ?? [])
      .find((chat) => chatKey(chat) === key);
  const asked = useQuery({
    queryKey: ['chat', botId, chatId],
    queryFn: ({ signal }) => listed() ?? call('refreshChat', { bot_id: botId, chat_id: chatId }, signal),
    staleTime: KNOWN_MS,
    retry: false,
  });
  return asked.data;
}
