import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../call.ts';
import type { ChatId } from '../chat/use-window.ts';
import { CHATS } from '../chats/use-chats.ts';
import { conversationOf } from '../conversation.ts';

/** What people do with a chat at their desk; the page is right again when an act is done. */
export function useDesk(chat: ChatId) {
  const queries = useQueryClient();
  const { botId, chatId } = chat;
  const place = conversationOf(chat);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['chat', botId, chatId] }),
        queries.invalidateQueries({ queryKey: [CHATS] }),
      ]),
  });
  const act = (run: () => Promise<unknown>) => {
    if (!isPending) mutate(run);
  };
  return {
    isPending,
    error,
    takeOver: (minutes: number) => act(() => call('takeOverChat', { ...place, minutes })),
    release: (deliver: boolean) => act(() => call('releaseChat', { ...place, deliver_missed: deliver })),
    assign: (accountId: number | null) => act(() => call('assignChat', { ...place, account_id: accountId })),
    close: (isDone: boolean) => act(() => call(isDone ? 'markChatDone' : 'reopenChat', place)),
  };
}

export type Desk = ReturnType<typeof useDesk>;
