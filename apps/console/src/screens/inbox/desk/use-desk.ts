import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { call } from '../../../call.ts';
import { useToast } from '../../../parts/undo-toast.tsx';
import type { ChatId } from '../chat/use-window.ts';
import { CHATS } from '../chats/use-chats.ts';
import { conversationOf } from '../conversation.ts';
import { useDeskWords } from './desk-words.ts';

/** One of the same `name` that is still being done is not done twice. `told` says what was done, and `undo` takes it back. */
type Act = { name: string; run: () => Promise<unknown>; told?: string; undo?: () => Promise<unknown> };

const TAKEN_AGAIN_MIN = 60;

/** Acts of people on a chat at their desk; the page shows the result of each. */
export function useDesk(chat: ChatId, closed: () => void) {
  const queries = useQueryClient();
  const { bot_id, chat_id } = chat;
  const place = conversationOf(chat);
  const words = useDeskWords();
  const toast = useToast();
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['chat', bot_id, chat_id] }),
      queries.invalidateQueries({ queryKey: [CHATS] }),
    ]);
  const doing = useRef(new Set<string>());
  const { mutate, isPending, error } = useMutation({
    // A key that is pressed before the last act is done comes after it.
    scope: { id: JSON.stringify(place) },
    mutationFn: ({ run }: Act) => run(),
    onSuccess: (_, { told, undo }) => {
      if (told === undefined) return;
      toast({ text: told, ...(undo && { undo: () => undo().finally(refresh) }) });
    },
    onSettled: (_, __, { name }) => {
      doing.current.delete(name);
      return refresh();
    },
  });
  const act = (name: string, run: Act['run'], told?: string, undo?: Act['run']) => {
    if (doing.current.has(name)) return;
    doing.current.add(name);
    mutate({ name, run, ...(told !== undefined && { told }), ...(undo && { undo }) });
  };
  const assign = (account_id: number | null) => call('assignChat', { ...place, account_id });
  return {
    isPending,
    error,
    takeOver: (minutes: number) => act('take over', () => call('takeOverChat', { ...place, minutes })),
    /** Updates that the bot got cannot be taken back. */
    release: (deliver: boolean) =>
      act(
        'release',
        () => call('releaseChat', { ...place, deliver_missed: deliver }),
        words.givenBack,
        deliver ? undefined : () => call('takeOverChat', { ...place, minutes: TAKEN_AGAIN_MIN }),
      ),
    assign: (accountId: number | null, before: number | null) =>
      act(
        `assign ${accountId}`,
        () => assign(accountId),
        accountId === null ? words.assignedToNobody : words.assignedNow,
        () => assign(before),
      ),
    close: (isDone: boolean) =>
      act(
        'close',
        async () => {
          await call(isDone ? 'markChatDone' : 'reopenChat', place);
          if (isDone) closed();
        },
        isDone ? words.isDone : undefined,
        () => call('reopenChat', place),
      ),
  };
}

export type Desk = ReturnType<typeof useDesk>;
