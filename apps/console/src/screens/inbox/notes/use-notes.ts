import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../call.ts';
import { conversationOf } from '../conversation.ts';

type Of = { bot_id: number; chat_id: number; connection?: string | undefined };
type Written = { text: string; mentions: number[] };

/** Writes, changes and deletes notes about a chat; `done` when that is stored and the page shows it. */
export function useNotes(chat: Of, done: () => void) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['chat', chat.bot_id, chat.chat_id] });
      done();
    },
  });
  const act = (run: () => Promise<unknown>) => {
    if (!isPending) mutate(run);
  };
  return {
    isPending,
    error,
    add: (written: Written) => act(() => call('addNote', { ...conversationOf(chat), ...written })),
    update: (id: number, written: Written) => act(() => call('updateNote', { id, ...written })),
    remove: (id: number) => act(() => call('deleteNote', { id })),
  };
}

/** The accounts that have a bot. */
export function useAssignees(bot_id: number, isWanted = true) {
  return useQuery({
    queryKey: ['assignees', bot_id],
    queryFn: ({ signal }) => call('listAssignees', { bot_id }, signal),
    enabled: isWanted,
  });
}
