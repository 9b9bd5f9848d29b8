import type { MessageResource } from '@flotilla/contract/messages.ts';
import { ChatLink } from '../../parts/chat-link.tsx';
import { personName } from '../../parts/person-name.ts';
import { Moment } from '../../parts/time.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import type { Words } from '../../words/en.ts';
import { Marked } from './mark-words.tsx';

/** A message, with the name of its chat where several chats are searched. */
export type Found = MessageResource & { chatTitle?: string };

export function foundColumns({ search: words }: Words, q: string, withChat = false): Column<Found>[] {
  return [
    {
      name: 'at-cell',
      title: words.at,
      width: '8.5rem',
      cell: ({ date }) => (
        <span className="muted">
          <Moment at={new Date(date * 1_000).toISOString()} />
        </span>
      ),
    },
    {
      name: 'who-cell',
      title: words.user,
      width: 'minmax(7rem, 11rem)',
      cell: (message) => <bdi className="cut">{personName({ ...message, id: message.user_id })}</bdi>,
    },
    ...(withChat
      ? [
          {
            name: 'chat-cell',
            title: words.chat,
            width: 'minmax(6rem, 11rem)',
            cell: ({ chatTitle }: Found) => <bdi className="muted cut">{chatTitle}</bdi>,
          },
        ]
      : []),
    {
      name: 'text-cell',
      title: words.message,
      width: 'minmax(8rem, 1fr)',
      cell: (message) => (
        <ChatLink
          botId={message.bot_id}
          chatId={message.chat_id}
          around={message.id}
          className="cut row-link found-text"
        >
          {message.media_type && <span className="muted">{words.types[message.media_type]} </span>}
          <bdi dir="auto">{message.text ? <Marked text={message.text} q={q} /> : !message.media_type && '…'}</bdi>
        </ChatLink>
      ),
    },
  ];
}
