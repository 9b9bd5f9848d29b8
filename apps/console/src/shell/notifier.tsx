import type { ChatResource } from '@flotilla/contract/chats.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import { call } from '../call.ts';
import { useLive } from '../live.ts';
import { titleOf } from '../parts/chat-name.tsx';
import { linkToInbox } from '../parts/inbox-address.ts';
import { summaryOf } from '../screens/inbox/chat/summary.ts';
import { CHATS, chatKey } from '../screens/inbox/chats/use-chats.ts';
import { useChatsLive } from '../screens/inbox/chats/use-chats-live.ts';
import { useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';

const ASK_EVERY_MS = 15_000;
const NEWEST = 20;
/** Of more at once, the browser would show a wall. */
const MOST_AT_ONCE = 3;

/** Lets the browser tell of new messages while nobody looks at the page; without `texts`, not what they say. */
export function Notifier({ texts }: { texts: boolean }): null {
  const words = useWords();
  const navigate = useNavigate();
  const { account } = useSession();
  const open = useCallback(
    (notice: Notification, chat: Pick<ChatResource, 'bot_id' | 'id' | 'business_connection_id'>) => {
      notice.onclick = () => {
        window.focus();
        notice.close();
        void navigate(linkToInbox(chat));
      };
    },
    [navigate],
  );
  const known = useRef<ReadonlyMap<string, string> | null>(null);
  const { data: chats } = useQuery({
    queryKey: [CHATS, 'newest'],
    queryFn: ({ signal }) => call('listChats', { order: 'recent', limit: NEWEST }, signal),
    refetchInterval: ASK_EVERY_MS,
    refetchIntervalInBackground: true,
    retry: false,
  });
  useChatsLive(chats ?? []);
  useLive(['desk'], ({ name, data }) => {
    if (name !== 'note' || data.change !== 'added' || !data.mentions.includes(account.id) || isLookedAt()) return;
    const { chat_id, note_id, account: by = '' } = data;
    const tag = `flotilla-note-${note_id}`;
    open(new Notification(words.inbox.mentionedBy(by), { tag }), { ...data, id: chat_id });
  });
  useEffect(() => {
    if (chats === undefined) return;
    const before = known.current;
    known.current = new Map(chats.map((chat) => [chatKey(chat), newestOf(chat)]));
    if (before === null || isLookedAt()) return;
    const news = chats.filter((chat) => isNews(chat) && before.get(chatKey(chat)) !== newestOf(chat));
    for (const chat of news.slice(0, MOST_AT_ONCE)) {
      const said = chat.last_message && texts ? summaryOf(chat.last_message, words) : words.inbox.newMessage;
      const body = chat.bot_name === undefined ? said : `${chat.bot_name}: ${said}`;
      // Several tabs tell of one message once, because its tag is the same.
      open(new Notification(titleOf(chat), { body, tag: `flotilla-${chatKey(chat)}` }), chat);
    }
  }, [chats, texts, words, open]);
  return null;
}

function isLookedAt(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus();
}

function newestOf({ last_message: last }: ChatResource): string {
  return last === undefined ? '' : `${last.date}.${last.id}`;
}

/** A person wrote it, and the account has not read it. */
function isNews({ last_message: last, unread = 0 }: ChatResource): boolean {
  return last !== undefined && !last.outgoing && unread > 0;
}
