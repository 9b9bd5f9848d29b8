import type { ChatResource } from '@flotilla/contract/chats.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Avatar } from '../../../parts/avatar.tsx';
import { titleOf } from '../../../parts/chat-name.tsx';
import { nameOf } from '../../../parts/person-name.ts';
import { photoOfChat } from '../../../parts/photos.ts';
import { Lasting } from '../../../parts/time.tsx';
import type { Words } from '../../../words/en.ts';
import { useWords } from '../../../words/words.tsx';
import { BusinessMark } from '../business-mark.tsx';
import { summaryOf, writerOf } from '../chat/summary.ts';
import { useMessageTimes } from '../chat/times.ts';
import { WhoIsHere } from '../desk/who-is-here.tsx';
import { keyOfChat, linkToChat, useInboxPlace } from '../inbox-place.ts';
import { chatKey } from './use-chats.ts';

/** From this count on the api does not count. */
const MOST_UNREAD = 100;

export function ChatRow({ chat }: { chat: ChatResource }): ReactNode {
  const { inbox: words } = useWords();
  const { shortOf } = useMessageTimes();
  const place = useInboxPlace();
  const { last_message: last, unread = 0, business_connection_id: connection, waiting_since: waiting } = chat;
  const isOpen = place.chat !== null && chatKey(keyOfChat(place.chat)) === chatKey(chat);
  return (
    <Link
      {...linkToChat(place, chat)}
      state={place.chat === null && place.ofBot === undefined ? { fromList: true } : {}}
      className={`chat-row ${isOpen ? 'active' : ''}`}
      onKeyDown={({ key }) => {
        if (key === 'Enter') place.wantsField.current = true;
      }}
      aria-current={isOpen ? 'page' : undefined}
      // Conversations of one person differ in the search of their address, which also names a message and a topic.
      activeOptions={{ exact: true }}
    >
      <Avatar name={titleOf(chat)} id={chat.id} photo={photoOfChat(chat.bot_id, chat.id)} />
      <span className="chat-line">
        <span className="chat-with">
          <span className="chat-who">
            <bdi className={`chat-name cut ${unread > 0 ? 'unread' : ''}`}>{titleOf(chat)}</bdi>
            {connection !== undefined && <BusinessMark connection={connection} />}
          </span>
          {place.ofBot === undefined && <bdi className="chat-bot cut">{chat.bot_name ?? `#${chat.bot_id}`}</bdi>}
        </span>
        {waiting !== undefined ? (
          <span className="waits">
            {words.waits} <Lasting at={waiting} />
          </span>
        ) : (
          last && <time className="muted">{shortOf(last.date)}</time>
        )}
      </span>
      <span className="chat-line">
        <LastMessage chat={chat} />
        <WhoIsHere chat={chatKey(chat)} />
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
  const sender = senderOf(last, type, words);
  return (
    <span className="chat-last muted">
      {sender && (
        <span className="chat-sender cut">
          <bdi>{sender}</bdi>:
        </span>
      )}
      <bdi className="cut">{summaryOf(last, words)}</bdi>
    </span>
  );
}

function senderOf(last: NonNullable<ChatResource['last_message']>, type: ChatResource['type'], words: Words): string {
  if (last.automatic || last.outgoing) return writerOf(last, words) ?? words.inbox.bot;
  return type === 'private' ? '' : nameOf(last);
}
