import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../call.ts';
import { type Finder, PickField } from './pick-field.tsx';

const SHOWN = 8;
const KNOWN_MS = 5 * 60_000;

type ChatFieldProps = {
  label: string;
  botId: string;
  chatId: string | undefined;
  choose: (chatId: string | undefined) => void;
  placeholder?: string;
  hint?: string;
  fault?: string | null | undefined;
};

/** One of the chats that a bot knows, by a part of its name or by its id. */
export function ChatField({ botId, chatId, choose, ...rest }: ChatFieldProps): ReactNode {
  const name = useChatName(botId, chatId);
  return <PickField {...rest} chosen={name} finder={chatsOf(botId)} choose={(option) => choose(option?.id)} />;
}

/** The name of a chat; its id while that is all that is known. */
export function useChatName(botId: number | string, chatId: number | string | undefined): string {
  const chat = useQuery({
    queryKey: ['chat-name', String(botId), String(chatId)],
    queryFn: async ({ signal }) => {
      // Unlike `showChat`, the list does not fail for a chat that the bot has not met.
      const found = await call('listChats', { bot_id: botId, q: String(chatId), limit: SHOWN }, signal);
      return found.find(({ id }) => String(id) === String(chatId))?.title ?? '';
    },
    enabled: chatId !== undefined,
    staleTime: KNOWN_MS,
  });
  return chatId === undefined ? '' : chat.data || String(chatId);
}

function chatsOf(botId: string): Finder {
  return {
    key: ['chats-of-bot', botId],
    async find(q, signal) {
      const input = { bot_id: botId, order: 'recent', limit: SHOWN, ...(q === '' ? {} : { q }) } as const;
      const chats = await call('listChats', input, signal);
      return chats.map(({ id, title }) => ({ id: String(id), name: title ?? String(id), note: String(id) }));
    },
  };
}
