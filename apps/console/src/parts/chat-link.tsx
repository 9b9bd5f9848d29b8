import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ChatName } from './chat-name.tsx';
import { searchOf } from './inbox-address.ts';

type ChatLinkProps = {
  bot_id: number;
  chat_id: number;
  /** The business connection; without it the chat of the bot itself. */
  connection?: string | undefined;
  /** The message that it opens at. */
  around?: number | undefined;
  className?: string;
  /** Absent: the name of the chat. */
  children?: ReactNode;
};

/** Opens a chat in the inbox. */
export function ChatLink({ bot_id, chat_id, connection, around, className, children }: ChatLinkProps): ReactNode {
  return (
    <Link
      to="/inbox/$botId/$chatId"
      params={{ botId: String(bot_id), chatId: String(chat_id) }}
      search={searchOf({ connection, around })}
      className={className ?? ''}
    >
      {children ?? <ChatName bot_id={bot_id} chat_id={chat_id} />}
    </Link>
  );
}
