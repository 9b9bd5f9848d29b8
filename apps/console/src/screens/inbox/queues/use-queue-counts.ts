import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../call.ts';
import { REFRESH_MS } from '../../../queries.ts';
import { CHATS } from '../chats/use-chats.ts';

/** How many chats each queue has; asked again whenever the list is. */
export function useQueueCounts(bot: string | undefined) {
  const { data } = useQuery({
    queryKey: [CHATS, 'queues', bot ?? 'all'],
    queryFn: ({ signal }) => call('countChatQueues', bot === undefined ? {} : { bot_ids: [Number(bot)] }, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return data;
}
