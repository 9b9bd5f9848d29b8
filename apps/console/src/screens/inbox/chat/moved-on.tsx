import type { ChatResource } from '@flotilla/contract/chats.ts';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { moveDraft } from '../../../drafts.ts';
import { useSession } from '../../../session.tsx';
import { useWords } from '../../../words/words.tsx';
import { linkToChat, useInboxPlace } from '../inbox-place.ts';
import { useChat } from './use-chat.ts';
import type { ChatId, useWindow } from './use-window.ts';

/** The supergroup that a group became. Its service message tells it while the chat is open. */
export function useMovedTo(chat: ChatId, window: ReturnType<typeof useWindow>['window']): number | undefined {
  const tellsOfMove = window?.messages.some(({ service }) => service === 'migrated') === true;
  return useChat(chat, tellsOfMove)?.migrated_to_chat_id;
}

/** In place of the field for a new message: the platform takes none in a group that became a supergroup. */
export function MovedOn({ chat, to }: { chat: ChatId; to: number }): ReactNode {
  const { inbox: words } = useWords();
  const place = useInboxPlace();
  useMovedDraft(chat, to);
  return (
    <p className="moved-on">
      {words.movedOn} <Link {...linkToChat(place, { bot_id: chat.bot_id, id: to })}>{words.openMoved}</Link>
    </p>
  );
}

/** A draft that was begun in a group goes on in its supergroup. */
function useMovedDraft({ bot_id, chat_id }: ChatId, to: number | undefined): void {
  const { account } = useSession();
  useEffect(() => {
    if (to !== undefined) moveDraft(account.id, { bot_id, chat_id }, { bot_id, chat_id: to });
  }, [account.id, bot_id, chat_id, to]);
}

/** The same for a chat of the list, which nobody may open. */
export function MovedDraft({ chat: { bot_id, id, migrated_to_chat_id: to } }: { chat: ChatResource }): null {
  useMovedDraft({ bot_id, chat_id: id }, to);
  return null;
}
