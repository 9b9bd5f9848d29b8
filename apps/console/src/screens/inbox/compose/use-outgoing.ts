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
import { NO_MARKUP, replyMarkupOf } from './markup.ts';
import { clearKeptDraft, type NewMessage } from './use-draft.ts';

const NOTHING_WRITTEN: NewMessage = { text: '', format: 'plain', markup: NO_MARKUP, replyTo: undefined };

/** Sends in a chat. A send goes on, and is still shown as in flight, when another chat is opened meanwhile. */
export function useOutgoing(chat: ChatId) {
  const outbox = useOutbox();
  const { account } = useSession();
  const outgoing = useSyncExternalStore(outbox.subscribe, () => outbox.of(chat));
  // It runs also when nothing shows the chat any more, so it uses no state of a component.
  const { mutate } = useMutation({
    mutationFn: async (written: NewMessage) => {
      const [first = null, ...others] = outbox.of(chat).files;
      const sendOne = async (what: Sent) => {
        const { file } = what;
        outbox.change(chat, { sending: { file, progress: 0 }, error: null, failed: null });
        try {
          const progress = (part: number) => outbox.change(chat, { sending: { file, progress: part } });
          const message = await sendNew(chat, what, progress);
          clearKeptDraft(account.id, chat, what);
          if (file !== null) outbox.remove(chat, file);
          outbox.tellSent(chat, message, what);
        } catch (error) {
          outbox.change(chat, { error: error as Error, failed: file });
          throw error;
        }
      };
      await sendOne({ ...written, file: first });
      // After a failure the rest waits until somebody sends again, so the order holds.
      for (const file of others) if (outbox.of(chat).files.includes(file)) await sendOne({ ...NOTHING_WRITTEN, file });
    },
    onSettled: () => outbox.change(chat, { sending: null }),
  });
  return {
    ...outgoing,
    /** Sends once, however often and fast it is asked to. The text goes with the first file. */
    send: (written: NewMessage) => {
      if (outbox.of(chat).sending !== null) return;
      outbox.change(chat, { sending: { file: outbox.of(chat).files[0] ?? null, progress: 0 } });
      mutate(written);
    },
    attach: (files: readonly File[]) => outbox.attach(chat, files),
    remove: (file: File) => outbox.remove(chat, file),
  };
}

/** Calls the listener after every message that was sent in the chat, whoever showed the chat when it was sent. */
export function useSent(
  { bot_id, chat_id, connection, threadId }: ChatId,
  told: (message: Message, sent: Sent) => void,
): void {
  const outbox = useOutbox();
  const latest = useRef(told);
  latest.current = told;
  useEffect(
    () => outbox.onSent({ bot_id, chat_id, connection, threadId }, (message, sent) => latest.current(message, sent)),
    [outbox, bot_id, chat_id, connection, threadId],
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
  const reply_markup = replyMarkupOf(markup);
  if (file === null) {
    return call('sendMessage', { ...fields, ...(reply_markup && { reply_markup }) });
  }
  return sendFile({ ...fields, reply_markup: reply_markup && JSON.stringify(reply_markup) }, file, progress);
}
