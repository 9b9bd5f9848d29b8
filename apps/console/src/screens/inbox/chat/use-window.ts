import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { callPage } from '../../../call.ts';
import { REFRESH_MS } from '../../../queries.ts';
import { conversationOf } from '../conversation.ts';
import {
  type Awaited,
  cutAt,
  type MessagePage,
  type MessageWindow,
  windowOf,
  withMessage,
  withPage,
  withTold,
} from './message-window.ts';

const PAGE = 100;

/** A chat, or one of its topics alone. `connection`: the conversation of that business connection; without it that of the bot itself. */
export type ChatId = {
  bot_id: number;
  chat_id: number;
  connection?: string | undefined;
  threadId?: number | undefined;
};
type End = 'older' | 'newer';
export type Reach = { [Side in End]?: 'loading' | Error };

/** The messages around a place of a chat, or at its end; more on either side when it is asked for. */
export function useWindow(chat: ChatId, around: number | undefined) {
  const queries = useQueryClient();
  const { bot_id, chat_id, connection, threadId } = chat;
  const key = useMemo(
    () => ['window', bot_id, chat_id, connection ?? '', threadId ?? 'all', around ?? 'end'],
    [bot_id, chat_id, connection, threadId, around],
  );
  const loading = useRef<{ [Side in End]?: boolean }>({});
  const [reach, setReach] = useState<Reach>({});
  const known = useCallback(() => queries.getQueryData<MessageWindow>(key), [queries, key]);

  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<MessageWindow> => {
      const before = known();
      const anchor = before === undefined ? around : before.hasNewer ? middleOf(before) : undefined;
      const page = await readPage(chat, anchor, signal);
      const now = known();
      return now === undefined ? windowOf(page) : withPage(now, page);
    },
    refetchInterval: REFRESH_MS,
    staleTime: 0,
    // A chat that is opened again begins at its end.
    gcTime: 0,
  });

  const change = useCallback(
    (next: (window: MessageWindow) => MessageWindow) =>
      queries.setQueryData<MessageWindow>(key, (window) => window && next(window)),
    [queries, key],
  );

  /** Loads what is beyond one end of the window. */
  const extend = useCallback(
    async (end: End) => {
      const window = known();
      const outermost = end === 'older' ? window?.messages[0] : window?.messages.at(-1);
      if (outermost === undefined || loading.current[end]) return;
      loading.current[end] = true;
      setReach((now) => ({ ...now, [end]: 'loading' }));
      const read = () => readPage({ bot_id, chat_id, connection, threadId }, outermost.id);
      const failed = await queries
        .fetchQuery({ queryKey: [...key, end, outermost.id], queryFn: read, gcTime: 0, staleTime: 0 })
        .then(
          (page) => void change((now) => cutAt(end === 'older' ? 'newer' : 'older', withPage(now, page))),
          (error: Error) => error,
        );
      loading.current[end] = false;
      setReach(({ [end]: _, ...others }) => (failed ? { ...others, [end]: failed } : others));
    },
    [queries, key, known, change, bot_id, chat_id, connection, threadId],
  );

  const keep = useCallback((message: Message) => change((window) => withMessage(window, message)), [change]);
  const tell = useCallback((message: Message) => change((window) => withTold(window, message)), [change]);
  const isThere = useCallback(
    ({ message_id, editS }: Awaited) => {
      const window = known();
      const message = window?.messages.find(({ id }) => id === message_id);
      if (message === undefined || message.told) return window?.hasNewer ?? false;
      return editS === 0 || Date.parse(message.edited_at ?? '') / 1000 >= editS;
    },
    [known],
  );
  return { query, window: query.data, reach, extend, keep, tell, isThere };
}

function middleOf({ messages }: MessageWindow): number | undefined {
  return messages[Math.floor(messages.length / 2)]?.id;
}

/** A page around a message, or the newest one. */
export async function readPage(
  { threadId, ...chat }: ChatId,
  around: number | undefined,
  signal?: AbortSignal,
  limit = PAGE,
): Promise<MessagePage> {
  const place = around === undefined ? {} : { around };
  const topic = threadId === undefined ? {} : { thread_id: threadId };
  const input = { ...conversationOf(chat), ...topic, include_deleted: true, limit, ...place };
  const { rows, total, next, prev } = await callPage('listMessages', input, signal);
  return { rows, total, hasOlder: next !== null, hasNewer: prev !== null };
}
