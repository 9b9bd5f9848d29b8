import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type ChatLinkProps = {
  botId: number;
  chatId: number;
  /** The message that it opens at. */
  around?: number | undefined;
  className?: string;
  children: ReactNode;
};

/** Opens a chat in the inbox. */
export function ChatLink({ botId, chatId, around, className, children }: ChatLinkProps): ReactNode {
  return (
    <Link
      to="/inbox/$botId/$chatId"
      params={{ botId: String(botId), chatId: String(chatId) }}
      search={around === undefined ? {} : { around: String(around) }}
      className={className ?? ''}
    >
      {children}
    </Link>
  );
}
