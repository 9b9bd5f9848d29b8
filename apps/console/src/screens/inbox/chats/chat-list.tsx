import type { ChatResource } from '@flotilla/contract/chats.ts';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { ChangedRows } from '../../../parts/changed-rows.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { useAhead } from '../../../parts/use-ahead.ts';
import { useHeldRows } from '../../../parts/use-held-rows.ts';
import { useWords } from '../../../words/words.tsx';
import { MovedDraft } from '../chat/moved-on.tsx';
import { useTopics } from '../chat/use-topics.ts';
import type { InboxFilter } from '../inbox-filter.ts';
import { keyOfChat, linkToFilter, useInboxPlace } from '../inbox-place.ts';
import { ChatFilters } from './chat-filters.tsx';
import { ChatRow } from './chat-row.tsx';
import { heightOfTopics, TopicRows } from './topic-rows.tsx';
import { chatKey, useChats } from './use-chats.ts';
import { useChatsLive } from './use-chats-live.ts';
import './chats.css';

const ROW_PX = 68;
const OVERSCAN = 4;
const FIRST_SHAPES = 8;
const NO_CHAT = { bot_id: 0, chat_id: 0 };

/** On a slow link, a press on a chat would show nothing for seconds. */
const importChat = () => import('../chat/chat.tsx');

/** All chats that match the filter, the one with the newest message first. */
export function ChatList({ filter }: { filter: InboxFilter }): ReactNode {
  const { inbox: words } = useWords();
  const place = useInboxPlace();
  const scroller = useRef<HTMLDivElement>(null);
  const { head, shows, list: latest } = useChats(filter);
  const held = useHeldRows(latest);
  const { total } = latest;
  useChatsLive(head.data?.rows ?? []);
  useAhead(importChat, head.data !== undefined);
  const count = head.isPending ? FIRST_SHAPES : held.total;
  const open = useOpenChat();
  const isOpen = (chat: ChatResource | undefined) => chat !== undefined && open !== null && chatKey(chat) === open.key;
  const topicsPx = heightOfTopics(open?.topics ?? []);
  // Only rows on the screen may be asked for what they are; of others, what was seen last holds.
  const openAt = useRef(-1);
  const list = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ROW_PX + (index === openAt.current ? topicsPx : 0),
    overscan: OVERSCAN,
  });
  const items = list.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => shows(first, last), [shows, first, last]);
  const rows = items.map(({ index, start, size }) => ({ index, start, size, chat: held.rowAt(index) }));
  const seenAt = rows.find(({ chat }) => isOpen(chat))?.index;
  const isElsewhere = seenAt === undefined && rows.some(({ index }) => index === openAt.current);
  const nextAt = seenAt ?? (isElsewhere ? -1 : openAt.current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes of rows change with the topics below one.
  useLayoutEffect(() => {
    openAt.current = nextAt;
    list.measure();
  }, [list, nextAt, topicsPx]);
  const isFiltered = Object.keys(place.filter).length > 0;
  return (
    <section className="chats" aria-label={words.chats}>
      <ChatFilters filter={filter} />
      {head.isError && <Failure error={head.error} retry={() => void head.refetch()} />}
      {head.data && total === 0 && (
        <Empty title={isFiltered ? words.noMatch : words.empty} hint={isFiltered ? '' : words.emptyHint}>
          {isFiltered && (
            <Link {...linkToFilter(place, {})} className="button plain">
              {words.clear}
            </Link>
          )}
        </Empty>
      )}
      <div className="chat-frame" {...held.area}>
        <div ref={scroller} className="chat-scroller" aria-busy={latest.stale}>
          <ul className="chat-rows" style={{ height: list.getTotalSize() }}>
            {rows.map(({ index, start, size, chat }) => (
              <li
                key={chat === undefined ? `at ${index}` : chatKey(chat)}
                aria-setsize={count}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)`, height: size }}
              >
                {chat === undefined ? <span className="shape" /> : <ChatRow chat={chat} />}
                {open !== null && isOpen(chat) && open.topics.length > 0 && (
                  <TopicRows chat={open.chat} topics={open.topics} />
                )}
                {chat?.migrated_to_chat_id !== undefined && <MovedDraft chat={chat} />}
              </li>
            ))}
          </ul>
        </div>
        <ChangedRows held={held} />
      </div>
      <p role="status" className="unseen">
        {head.data && words.count(total)}
      </p>
    </section>
  );
}

/** The chat beside the list, with its topics. */
function useOpenChat() {
  const { chat } = useInboxPlace();
  const { list: topics } = useTopics(chat ?? NO_CHAT);
  return chat === null ? null : { chat, key: chatKey(keyOfChat(chat)), topics };
}
