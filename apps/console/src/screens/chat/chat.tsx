import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CallError } from '../../call.ts';
import { botQuery } from '../../parts/bot-query.ts';
import { ChatLink } from '../../parts/chat-link.tsx';
import { useChatName } from '../../parts/chat-name.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { NotFound } from '../../parts/not-found.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { useWords } from '../../words/words.tsx';
import './chat.css';

/** The same as text, for links. */
export function useChatParams(): { id: string; chat: string } {
  const { id = '', chat = '' } = useParams({ strict: false });
  return { id, chat };
}

/** The bot and the chat of the address. */
export function useChatOfPage(): { bot_id: number; chat_id: number } {
  const { id, chat } = useChatParams();
  return { bot_id: Number(id), chat_id: Number(chat) };
}

/** The frame of every view of one chat: its name, its bot, its views. */
export function Chat(): ReactNode {
  const words = useWords();
  const { id, chat } = useChatParams();
  const { bot_id, chat_id } = useChatOfPage();
  const bot = useQuery(botQuery(id));
  const title = useChatName(bot_id, chat_id);
  useTitle(title);
  if (bot.data === undefined && bot.error instanceof CallError && [400, 403, 404].includes(bot.error.status)) {
    return <NotFound title={words.bot.gone} hint="" />;
  }
  if (!Number.isSafeInteger(chat_id)) return <NotFound />;
  return (
    <div className="chat-page">
      <Link to="/bots/$id" params={{ id }} className="back">
        <Icon name="back" />
        <bdi className="cut">{bot.data?.name}</bdi>
      </Link>
      <header className="bot-head">
        <h1 className="cut" title={title}>
          <bdi>{title}</bdi>
        </h1>
        <ChatLink bot_id={bot_id} chat_id={chat_id}>
          {words.chat.messages}
        </ChatLink>
      </header>
      {bot.isError && <Failure error={bot.error} retry={() => void bot.refetch()} />}
      <nav className="tabs" aria-label={words.chat.views}>
        <Link to="/bots/$id/chats/$chat/people" params={{ id, chat }} activeOptions={{ includeSearch: false }}>
          {words.chat.people}
        </Link>
        <Link to="/bots/$id/chats/$chat/statistics" params={{ id, chat }} activeOptions={{ includeSearch: false }}>
          {words.bot.tabs.statistics}
        </Link>
        <Link to="/bots/$id/chats/$chat/audit" params={{ id, chat }} activeOptions={{ includeSearch: false }}>
          {words.nav.audit}
        </Link>
      </nav>
      {bot.data && <Outlet />}
    </div>
  );
}
