import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ChatName } from './chat-name.tsx';
import { searchOf } from './inbox-address.ts';

type ChatLinkProps = {
  botId: number;
  chatId: number;
  /** The business connection; without it the chat of the bot itself. */
  connection?: string | undefined;
  /** The message that it opens at. */
  around?: number | undefined;
  className?: string;
  /** Absent: the name of the chat. */
  children?: ReactNode;
};

/** Opens a chat in the inbox. */
export function ChatLink({ botId, chatId, connection, around, className, children }: ChatLinkProps): ReactNode {
  return (
    <Link
      to="/inbox/$botId/$chatId"
      params={{ botId: String(botId), chatId: String(chatId) }}
      search={searchOf({ connection, around })}
      className={className ?? ''}
    >
      {children ?? <ChatName bot_id={botId} chatId={chatId} />}
    </Link>
  );
}
