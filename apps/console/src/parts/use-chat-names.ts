import { useQuery } from '@tanstack/react-query';
import { call } from '../call.ts';

/** The chats in which a bot was seen last; a chat before them is shown by its id. */
const NAMED = 200;
const KNOWN_MS = 5 * 60_000;

/** Names chats of a bot by their ids. Nothing is asked while there is none to name. */
export function useChatNames(botId: number, ids: readonly number[]): (id: number) => string {
  const chats = useQuery({
    queryKey: ['chat-names', botId],
    queryFn: ({ signal }) => call('listChats', { bot_id: botId, order: 'recent', limit: NAMED }, signal),
    enabled: ids.length > 0,
    staleTime: KNOWN_MS,
  });
  return (wanted) => chats.data?.find(({ id }) => id === wanted)?.title || String(wanted);
}
