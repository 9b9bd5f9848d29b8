import type { ReplyResource } from '@flotilla/contract/replies.ts';
import { useQuery } from '@tanstack/react-query';
import { callPage } from '../../../call.ts';

const MOST_REPLIES = 1_000;
export const REPLIES = 'replies';

/** The saved replies for the chats of a bot, by name. */
export function useReplies(bot_id: number, isWanted: boolean): ReplyResource[] | undefined {
  const asked = useQuery({
    queryKey: [REPLIES, bot_id],
    queryFn: ({ signal }) => callPage('listReplies', { bot_id, limit: MOST_REPLIES }, signal),
    enabled: isWanted,
    staleTime: 60_000,
  });
  return asked.data?.rows;
}
