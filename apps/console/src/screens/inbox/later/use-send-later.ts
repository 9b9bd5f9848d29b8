import type { OutboxEntryResource as Entry } from '@flotilla/contract/outbox.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { call } from '../../../call.ts';
import { REFRESH_MS } from '../../../queries.ts';
import { useChat } from '../chat/use-chat.ts';
import type { ChatId } from '../chat/use-window.ts';
import { parseModeOf } from '../compose/content.ts';
import { replyMarkupOf } from '../compose/markup.ts';
import type { NewMessage } from '../compose/use-draft.ts';
import { conversationOf } from '../conversation.ts';

const SHOWN = 50;
/** The topic of a forum whose messages name none. */
const GENERAL = 1;

/** Hands a message to the outbox, once however often it is asked to; `done` is told what is scheduled. */
export function useSendLater(chat: ChatId, done: (scheduled: NewMessage) => void) {
  const queries = useQueryClient();
  const inFlight = useRef(false);
  const scheduling = useMutation({
    mutationFn: ({ message, send_at }: { message: NewMessage; send_at: Date }) =>
      call('addOutboxEntry', {
        ...{ bot_id: chat.bot_id, method: 'sendMessage', params: paramsOf(chat, message) },
        send_at: send_at.toISOString(),
      }),
    onSuccess: (_, { message }) => done(message),
    onSettled: () => {
      inFlight.current = false;
      // The chat says whether anything is scheduled; only then the list is asked for.
      void queries.invalidateQueries({ queryKey: ['chat', chat.bot_id, chat.chat_id] });
      return queries.invalidateQueries({ queryKey: scheduledKey(chat) });
    },
  });
  const schedule = (message: NewMessage, send_at: Date) => {
    if (inFlight.current) return;
    inFlight.current = true;
    scheduling.mutate({ message, send_at });
  };
  return { schedule, error: scheduling.error, isPending: scheduling.isPending };
}

/** Scheduled messages of a chat, or of one of its topics; the first to be sent comes first. */
export function useScheduled(chat: ChatId): Entry[] {
  const { bot_id, chat_id, connection, threadId } = chat;
  const hasAny = (useChat(chat)?.scheduled_count ?? 0) > 0;
  const found = useQuery({
    queryKey: scheduledKey(chat),
    enabled: hasAny,
    queryFn: ({ signal }) => call('listOutbox', { bot_id, chat_id, state: 'scheduled', limit: SHOWN }, signal),
    refetchInterval: REFRESH_MS,
  });
  const isShown = ({ params, send_at }: Entry) =>
    send_at !== undefined &&
    params.business_connection_id === connection &&
    (threadId === undefined || (params.message_thread_id ?? GENERAL) === threadId);
  // A list that is not asked for any more is an old one.
  const entries = hasAny ? (found.data ?? []) : [];
  return entries.filter(isShown).toSorted((a, b) => Date.parse(a.send_at!) - Date.parse(b.send_at!));
}

/** The key begins as those of the outbox, whose screen changes what this list shows. */
function scheduledKey({ bot_id, chat_id }: ChatId) {
  return ['outbox', 'scheduled', bot_id, chat_id];
}

function paramsOf({ threadId, ...chat }: ChatId, message: NewMessage) {
  const { text, format, markup, replyTo } = message;
  const { bot_id: _, ...conversation } = conversationOf(chat);
  const reply_markup = replyMarkupOf(markup);
  const isNamed = threadId !== undefined && threadId !== 0 && !(threadId === GENERAL && chat.chat_id < 0);
  return {
    ...{ ...conversation, text, ...parseModeOf(format) },
    ...(isNamed ? { message_thread_id: threadId } : {}),
    // The message that is answered may be gone by then.
    ...(replyTo === undefined ? {} : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
    ...(reply_markup && { reply_markup }),
  };
}
