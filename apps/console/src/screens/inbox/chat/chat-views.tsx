import type { ReactNode } from 'react';
import { MenuLink } from '../../../parts/menu.tsx';
import { useWords } from '../../../words/words.tsx';
import type { ChatId } from './use-window.ts';

/** The other views of a chat, as items of a menu. */
export function ChatViews({ bot_id, chat_id }: ChatId): ReactNode {
  const words = useWords();
  const params = { id: String(bot_id), chat: String(chat_id) };
  return (
    <>
      <MenuLink to="/search" search={{ bot: params.id, chat: params.chat }}>
        {words.inbox.searchChat}
      </MenuLink>
      <MenuLink to="/bots/$id/chats/$chat/people" params={params}>
        {words.chat.people}
      </MenuLink>
      <MenuLink to="/bots/$id/chats/$chat/statistics" params={params}>
        {words.bot.tabs.statistics}
      </MenuLink>
      <MenuLink to="/bots/$id/chats/$chat/audit" params={params}>
        {words.nav.audit}
      </MenuLink>
    </>
  );
}
