import type { DeskEntryResource } from '@flotilla/contract/desk-log.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../../call.ts';
import { MENTIONS, type Mentions } from '../../../shell/mentions.ts';
import type { ChatId } from '../chat/use-window.ts';
import { conversationOf } from '../conversation.ts';

/** Marks the notes that mention the account as read when their chat is open. */
export function useReadMentions(chat: ChatId, log: readonly DeskEntryResource[]): void {
  const queries = useQueryClient();
  useEffect(() => {
    const unread = queries.getQueryData<Mentions>(MENTIONS) ?? [];
    const shown = new Set(log.map(({ note }) => note?.id));
    if (document.hidden || !unread.some(({ id }) => shown.has(id))) return;
    call('markNotesRead', conversationOf(chat)).then(
      () => queries.invalidateQueries({ queryKey: MENTIONS }),
      () => {},
    );
  }, [queries, chat, log]);
}
