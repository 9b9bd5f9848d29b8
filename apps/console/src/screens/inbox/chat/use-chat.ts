import type { ChatResource } from '@flotilla/contract/chats.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CallError, call } from '../../../call.ts';
import { CHATS, chatKey } from '../chats/use-chats.ts';
import type { ChatId } from './use-window.ts';

const KNOWN_MS = 5 * 60_000;

/**
 * What is known about a chat: from the list, or from the platform where the list does not have it. `isMoving`: the group has
 * just become a supergroup, which what is known does not say yet.
 */
export function useChat({ botId, chatId }: ChatId, isMoving = false): ChatResource | undefined {
  const queries = useQueryClient();
  const key = chatKey({ bot_id: botId, id: chatId });
  const listed = () =>
    queries
      .getQueriesData<{ rows?: ChatResource[] }>({ queryKey: [CHATS] })
      .flatMap(([, page]) => page?.rows ?? [])
      .find((chat) => chatKey(chat) === key);
  const asked = useQuery({
    queryKey: ['chat', botId, chatId, isMoving],
    queryFn: async ({ signal }) => {
      const known = listed();
      if (known && (!isMoving || known.migrated_to_chat_id !== undefined)) return known;
      const place = { bot_id: botId, chat_id: chatId };
      return call('refreshChat', place, signal).catch((error) => movedChat(place, known, error));
    },
    staleTime: KNOWN_MS,
    retry: false,
  });
  return asked.data;
}

/** The platform says no more of a group that became a supergroup. */
function movedChat(
  { bot_id, chat_id: id }: { bot_id: number; chat_id: number },
  known: ChatResource | undefined,
  error: unknown,
): ChatResource {
  if (!(error instanceof CallError) || error.movedTo === undefined) throw error;
  const unknown = {
    id,
    bot_id,
    type: 'group',
    message_count: 0,
    blocked: false,
    state: 'open',
    awaits_answer: false,
  } as const;
  return { ...(known ?? unknown), migrated_to_chat_id: error.movedTo };
}
