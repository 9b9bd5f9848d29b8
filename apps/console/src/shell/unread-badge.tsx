import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../call.ts';
import { useTitleCount } from '../parts/use-title.ts';
import { useWords } from '../words/words.tsx';
import { UNREAD_CHATS } from './unread-chats.ts';

const ASK_EVERY_MS = 30_000;
/** The api counts no further. */
const MOST = 100;

/** How many chats are unread, beside the name of the inbox and in the title of the page. */
export function UnreadBadge(): ReactNode {
  const { inbox: words } = useWords();
  const { data } = useQuery({
    queryKey: UNREAD_CHATS,
    queryFn: ({ signal }) => call('countUnreadChats', {}, signal),
    refetchInterval: ASK_EVERY_MS,
    refetchIntervalInBackground: true,
    staleTime: ASK_EVERY_MS,
    retry: false,
  });
  const chats = data?.chats ?? 0;
  const shown = chats === 0 ? '' : chats >= MOST ? `${MOST - 1}+` : String(chats);
  useTitleCount(shown);
  if (shown === '') return null;
  return (
    <span className="count" title={words.unreadChats(chats)}>
      {shown}
    </span>
  );
}
