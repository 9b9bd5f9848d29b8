import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { call } from '../../../call.ts';
import { type Sent, useOutbox } from '../../../outbox.tsx';
import { sendFile } from '../../../send-file.ts';
import { useSession } from '../../../session.tsx';
import type { ChatId } from '../chat/use-window.ts';
import { conversationOf } from '../conversation.ts';
import { parseModeOf } from './content.ts';
import { replyMarkupOf } from './markup.ts';
import { clearKeptDraft } from './use-draft.ts';

/** What is sent in a chat. A send goes on, and is still shown as in flight, when another chat is opened meanwhile. */
export function useOutgoing(chat: ChatId) {
  const outbox = useOutbox();
  const { account } = useSession();
  const outgoing = useSyncExternalStore(outbox.subscribe, () => outbox.of(chat));
  const { mutate } = useMutation({
    mutationFn: (what: Sent) =>
      sendNew(chat, what, (progress) => outbox.change(chat, { sending: { file: what.file, progress } })),
    // These run also when nothing shows the chat any more, so they use no state of a component.
    onSuccess: (message, what) => {
      clearKeptDraft(account.id, chat, what);
      if (outbox.of(chat).file === what.file) outbox.change(chat, { file: null });
      outbox.tellSent(chat, message, what);
    },
    onError: (error) => outbox.change(chat, { error }),
    onSettled: () => outbox.change(chat, { sending: null }),
  });
  return {
    ...outgoing,
    /** Sends once, however often and fast it is asked to. */
    send: (what: Sent) => {
      if (outbox.of(chat).sending !== null) return;
      outbox.change(chat, { sending: { file: what.file, progress: 0 }, error: null });
      mutate(what);
    },
    attach: (file: File | null) => outbox.change(chat, { file, error: null }),
  };
}

/** Calls the listener after every message that was sent in the chat, whoever showed the chat when it was sent. */
export function useSent(
  { botId, chatId, connection, threadId }: ChatId,
  told: (message: Message, sent: Sent) => void,
): void {
  const outbox = useOutbox();
  const latest = useRef(told);
  latest.current = told;
  useEffect(
    () => outbox.onSent({ botId, chatId, connection, threadId }, (message, sent) => latest.current(message, sent)),
    [outbox, botId, chatId, connection, threadId],
  );
}

function sendNew(
  chat: ChatId,
  { text, format, markup, replyTo, file }: Sent,
  progress: (sent: number) => void,
): Promise<Message> {
  const fields = {
    ...conversationOf(chat),
    ...(text === '' ? {} : { text }),
    ...parseModeOf(format),
    ...(replyTo === undefined ? {} : { reply_to_message_id: replyTo }),
    ...(chat.threadId === undefined ? {} : { thread_id: chat.threadId }),
  };
  const replyMarkup = replyMarkupOf(markup);
  if (file === null) {
    return call('sendMessage', { ...fields, ...(replyMarkup && { reply_markup: replyMarkup }) });
  }
  return sendFile({ ...fields, reply_markup: replyMarkup && JSON.stringify(replyMarkup) }, file, progress);
}
