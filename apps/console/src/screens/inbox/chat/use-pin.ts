import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../call.ts';
import type { ChatId } from './use-window.ts';

export function usePin({ botId, chatId }: ChatId) {
  const pinning = useMutation({
    mutationFn: ({ id, pinned }: { id: number; pinned: boolean }) =>
      call(pinned ? 'pinMessage' : 'unpinMessage', { bot_id: botId, chat_id: chatId, message_id: id }),
  });
  const pin = ({ id }: Message, pinned: boolean) => pinning.mutate({ id, pinned });
  return { pin, pinning };
}
