import type { FoundMessageResource } from '@flotilla/contract/message-operations.ts';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import type { ReactNode } from 'react';
import { useBotName } from '../../parts/bot-field.tsx';
import { ChatLink } from '../../parts/chat-link.tsx';
import { titleOf } from '../../parts/chat-name.tsx';
import { Marked } from '../../parts/marked.tsx';
import { personName } from '../../parts/person-name.ts';
import { Moment } from '../../parts/time.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import type { Words } from '../../words/en.ts';

/** A message; one that was searched for has the name of its chat, and what was found in it. */
export type FoundMessage = MessageResource & Partial<Pick<FoundMessageResource, 'chat_title' | 'highlights' | 'note'>>;

/** `withBot`: the messages are of several bots. */
export function foundColumns(
  { search: words }: Words,
  { withChat, withBot }: { withChat: boolean; withBot: boolean },
): Column<FoundMessage>[] {
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
      cell: ({ note, ...message }) => (
        <bdi className="cut">
          {note ? (note.account_name ?? note.account) : personName({ ...message, id: message.user_id })}
        </bdi>
      ),
    },
    ...(withChat
      ? [
          {
            name: 'chat-cell',
            title: words.chat,
            width: 'minmax(6rem, 11rem)',
            cell: ({ chat_title: title, chat_id: id }: FoundMessage) => (
              <bdi className="muted cut">{titleOf({ id, title })}</bdi>
            ),
          },
        ]
      : []),
    ...(withBot
      ? [
          {
            name: 'bot-cell',
            title: words.bot,
            width: 'minmax(6rem, 9rem)',
            cell: ({ bot_id }: FoundMessage) => <BotName id={String(bot_id)} />,
          },
        ]
      : []),
    {
      name: 'text-cell',
      title: words.message,
      width: 'minmax(8rem, 1fr)',
      cell: (message) => (
        <ChatLink
          bot_id={message.bot_id}
          chat_id={message.chat_id}
          connection={message.business_connection_id}
          around={message.note ? undefined : message.id}
          className="cut row-link found-text"
        >
          {message.note && <span className="muted">{words.note} </span>}
          {message.media_type && <span className="muted">{words.types[message.media_type]} </span>}
          <bdi dir="auto">
            {message.text ? (
              <Marked text={message.text} highlights={message.highlights ?? []} />
            ) : (
              !message.media_type && '…'
            )}
          </bdi>
        </ChatLink>
      ),
    },
  ];
}

function BotName({ id }: { id: string }): ReactNode {
  return <bdi className="muted cut">{useBotName(id)}</bdi>;
}
