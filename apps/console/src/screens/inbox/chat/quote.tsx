import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { nameOf } from '../../../parts/person-name.ts';
import { useWords } from '../../../words/words.tsx';
import { useChatActions } from './chat-actions.ts';
import { summaryOf } from './summary.ts';
import { readPage } from './use-window.ts';

/** The message that another one answers, or the words of it that this one quotes; a press goes there. */
export function Quote({ messageId, quoted }: { messageId: number; quoted?: string | undefined }): ReactNode {
  const words = useWords();
  const { jump } = useChatActions();
  const { message, isGone } = useMessage(messageId);
  return (
    <button type="button" className="quote" onClick={() => jump(messageId)} disabled={isGone}>
      <bdi className="quote-name cut">{message ? nameOf(message) : words.inbox.replyTo(String(messageId))}</bdi>
      <span className="cut" dir="auto">
        {quoted !== undefined ? quoted : message ? summaryOf(message, words) : isGone ? words.inbox.notKept : ''}
      </span>
    </button>
  );
}

/** A message of the chat, from what is loaded or else from the api. */
function useMessage(messageId: number): { message: Message | undefined; isGone: boolean } {
  const { find, chat } = useChatActions();
  const loaded = find(messageId);
  const asked = useQuery({
    queryKey: ['message', chat.bot_id, chat.chat_id, chat.connection ?? '', messageId],
    queryFn: async ({ signal }) => {
      const { rows } = await readPage(chat, messageId, signal, 1);
      return rows.find(({ id }) => id === messageId) ?? null;
    },
    enabled: loaded === undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const message = loaded ?? asked.data ?? undefined;
  return { message, isGone: message === undefined && !asked.isPending };
}
