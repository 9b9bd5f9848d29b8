import type { ChatResource } from '@flotilla/contract/chats.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Avatar } from '../../../parts/avatar.tsx';
import { photoOfChat } from '../../../parts/photos.ts';
import { useWords } from '../../../words/words.tsx';
import { nameOf } from '../chat/names.ts';
import { summaryOf } from '../chat/summary.ts';
import { useMessageTimes } from '../chat/times.ts';
import { linkToChat, useInboxPlace } from '../inbox-place.ts';

/** From this count on the api does not count. */
const MOST_UNREAD = 100;

export function ChatRow({ chat }: { chat: ChatResource }): ReactNode {
  const { inbox: words } = useWords();
  const { shortOf } = useMessageTimes();
  const place = useInboxPlace();
  const { last_message: last, unread = 0 } = chat;
  return (
    <Link
      {...linkToChat(place, { bot_id: chat.bot_id, id: chat.id })}
      className="chat-row"
      activeOptions={{ includeSearch: false }}
    >
      <Avatar name={titleOf(chat)} id={chat.id} photo={photoOfChat(chat.bot_id, chat.id)} />
      <span className="chat-line">
        <bdi className={`chat-name cut ${unread > 0 ? 'unread' : ''}`}>{titleOf(chat)}</bdi>
        {place.ofBot === undefined && <bdi className="chat-bot cut">{chat.bot_name ?? `#${chat.bot_id}`}</bdi>}
        {last && <time className="muted">{shortOf(last.date)}</time>}
      </span>
      <span className="chat-line">
        <LastMessage chat={chat} />
        {unread > 0 && (
          <span className="unread-count" title={words.unreadCount(unread)}>
            {unread >= MOST_UNREAD ? `${MOST_UNREAD}+` : unread}
          </span>
        )}
      </span>
    </Link>
  );
}

function LastMessage({ chat }: { chat: ChatResource }): ReactNode {
  const words = useWords();
  const { last_message: last, type } = chat;
  if (last === undefined) return <span className="muted cut">{words.inbox.noMessages}</span>;
  const sender = last.outgoing ? words.inbox.bot : type === 'private' ? '' : nameOf(last);
  return (
    <span className="chat-last muted cut">
      {sender && (
        <>
          <bdi>{sender}</bdi>:{' '}
        </>
      )}
      <bdi>{summaryOf(last, words)}</bdi>
    </span>
  );
}

export function titleOf({ id, title, ...names }: Pick<ChatResource, 'id' | 'title' | 'username'>): string {
  return title || nameOf(names) || String(id);
}
