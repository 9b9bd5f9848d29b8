import { type QueryClient, useQuery } from '@tanstack/react-query';
import { call } from '../../../call.ts';

/** One person, or channel, in one chat of a bot. */
export type PersonOfChat = { bot_id: number; chat_id: number; user_id: number };

/** A chat with one person has no members and no administrators. */
export function isGroup({ chat_id }: Pick<PersonOfChat, 'chat_id'>): boolean {
  return chat_id < 0;
}

const ASKS_THE_PLATFORM_EVERY_MS = 60_000;

/** Names, tags, messages and all else that is known of the person in the chat. */
export function useChatPerson({ bot_id, chat_id, user_id }: PersonOfChat) {
  return useQuery({
    queryKey: ['person', bot_id, chat_id, user_id],
    queryFn: ({ signal }) => call('showChatUser', { bot_id, chat_id, user_id }, signal),
  });
}

/** Something was done to people of the chat, or noted about them. */
export function askPeopleAgain(
  queries: QueryClient,
  { bot_id, chat_id }: Pick<PersonOfChat, 'bot_id' | 'chat_id'>,
): Promise<unknown> {
  const keys = ['person', 'chat-audit'].map((name) => [name, bot_id, chat_id]);
  return Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}

export function useAdmins({ bot_id, chat_id }: Pick<PersonOfChat, 'bot_id' | 'chat_id'>) {
  return useQuery({
    queryKey: ['chat-admins', bot_id, chat_id],
    queryFn: ({ signal }) => call('listChatAdmins', { bot_id, chat_id }, signal),
    enabled: isGroup({ chat_id }),
    retry: false,
    staleTime: ASKS_THE_PLATFORM_EVERY_MS,
  });
}
