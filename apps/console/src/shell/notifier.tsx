import type { ChatResource } from '@flotilla/contract/chats.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { call } from '../call.ts';
import { titleOf } from '../parts/chat-name.tsx';
import { searchOf } from '../parts/inbox-address.ts';
import { summaryOf } from '../screens/inbox/chat/summary.ts';
import { CHATS, chatKey } from '../screens/inbox/chats/use-chats.ts';
import { useChatsLive } from '../screens/inbox/chats/use-chats-live.ts';
import { useWords } from '../words/words.tsx';

const ASK_EVERY_MS = 15_000;
const NEWEST = 20;
/** Of more at once, the browser would show a wall. */
const MOST_AT_ONCE = 3;

/** Lets the browser tell of new messages while nobody looks at the page; without `texts`, not what they say. */
export function Notifier({ texts }: { texts: boolean }): null {
  const words = useWords();
  const navigate = useNavigate();
  const known = useRef<ReadonlyMap<string, string> | null>(null);
  const { data: chats } = useQuery({
    queryKey: [CHATS, 'newest'],
    queryFn: ({ signal }) => call('listChats', { order: 'recent', limit: NEWEST }, signal),
    refetchInterval: ASK_EVERY_MS,
    refetchIntervalInBackground: true,
    retry: false,
  });
  useChatsLive(chats ?? []);
  useEffect(() => {
    if (chats === undefined) return;
    const before = known.current;
    known.current = new Map(chats.map((chat) => [chatKey(chat), newestOf(chat)]));
    if (before === null || (document.visibilityState === 'visible' && document.hasFocus())) return;
    const news = chats.filter((chat) => isNews(chat) && before.get(chatKey(chat)) !== newestOf(chat));
    for (const chat of news.slice(0, MOST_AT_ONCE)) {
      const said = chat.last_message && texts ? summaryOf(chat.last_message, words) : words.inbox.newMessage;
      const body = chat.bot_name === undefined ? said : `${chat.bot_name}: ${said}`;
      // Several tabs tell of one message once, because its tag is the same.
      const notice = new Notification(titleOf(chat), { body, tag: `flotilla-${chatKey(chat)}` });
      notice.onclick = () => {
        window.focus();
        notice.close();
        const { business_connection_id: connection } = chat;
        const params = { botId: String(chat.bot_id), chatId: String(chat.id) };
        void navigate({ to: '/inbox/$botId/$chatId', params, search: searchOf({ connection }) });
      };
    }
  }, [chats, texts, words, navigate]);
  return null;
}

function newestOf({ last_message: last }: ChatResource): string {
  return last === undefined ? '' : `${last.date}.${last.id}`;
}

/** A person wrote it, and the account has not read it. */
function isNews({ last_message: last, unread = 0 }: ChatResource): boolean {
  return last !== undefined && !last.outgoing && unread > 0;
}
