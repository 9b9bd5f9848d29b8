import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../../call.ts';
import type { ChatId } from './use-window.ts';

const ASK_EVERY_MS = 60_000;
const ACTIONS = ['pin', 'unpin', 'unpin_all'] as const;

/** Pins and unpins; knows what bots and accounts have pinned, from the audit log. People's own pins are not in it. */
export function usePin({ botId, chatId }: ChatId) {
  const entries = useQuery({
    queryKey: ['pins', botId, chatId],
    queryFn: async ({ signal }) => {
      const asked = ACTIONS.map((action) =>
        call('listAuditEntries', { bot_id: botId, chat_id: chatId, action, limit: 100 }, signal),
      );
      return (await Promise.all(asked)).flat();
    },
    refetchInterval: ASK_EVERY_MS,
    staleTime: ASK_EVERY_MS,
    retry: false,
  });
  const pinning = useMutation({
    mutationFn: ({ message, pinned }: { message: Message; pinned: boolean }) =>
      call(pinned ? 'pinMessage' : 'unpinMessage', {
        bot_id: botId,
        chat_id: chatId,
        message_id: message.id,
        ...(message.business_connection_id && { business_connection_id: message.business_connection_id }),
      }),
    onSuccess: () => void entries.refetch(),
  });
  const pinned = pinnedBy(entries.data ?? []);
  const pin = (message: Message, isPinned: boolean) => pinning.mutate({ message, pinned: isPinned });
  return { pin, pinning, isPinned: (messageId: number) => pinned.has(messageId) };
}

function pinnedBy(entries: readonly AuditEntryResource[]): ReadonlySet<number> {
  const pinned = new Set<number>();
  for (const { action, target_id: messageId } of entries.toSorted((one, other) => one.id - other.id)) {
    if (action === 'unpin_all') pinned.clear();
    if (messageId === undefined) continue;
    if (action === 'pin') pinned.add(messageId);
    else pinned.delete(messageId);
  }
  return pinned;
}
