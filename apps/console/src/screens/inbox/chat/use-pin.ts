import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../call.ts';
import { conversationOfMessage } from '../conversation.ts';
import { useShownChat } from './use-chat.ts';
import type { ChatId } from './use-window.ts';

/** Pins and unpins; knows what bots and accounts have pinned. People's own pins are not known. */
export function usePin(chat: ChatId) {
  const shown = useShownChat(chat);
  const pinning = useMutation({
    mutationFn: ({ message, pinned }: { message: Message; pinned: boolean }) =>
      call(pinned ? 'pinMessage' : 'unpinMessage', {
        ...conversationOfMessage(message),
        message_id: message.id,
      }),
    onSuccess: () => void shown.refetch(),
  });
  const pin = (message: Message, isPinned: boolean) => pinning.mutate({ message, pinned: isPinned });
  const isPinned = (messageId: number): boolean => shown.data?.pinned_message_ids.includes(messageId) ?? false;
  return { pin, pinning, isPinned };
}
