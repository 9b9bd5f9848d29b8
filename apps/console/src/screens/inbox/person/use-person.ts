import { type QueryClient, useQuery } from '@tanstack/react-query';
import { call } from '../../../call.ts';

/** One person, or channel, in one chat of a bot. */
export type PersonOfChat = { botId: number; chatId: number; userId: number };

/** A chat with one person has no members and no administrators. */
export function isGroup({ chatId }: Pick<PersonOfChat, 'chatId'>): boolean {
  return chatId < 0;
}

const ASKS_THE_PLATFORM_EVERY_MS = 60_000;

/** Names, tags, messages and all else that is known of the person in the chat. */
export function useChatPerson({ botId, chatId, userId }: PersonOfChat) {
  return useQuery({
    queryKey: ['person', botId, chatId, userId],
    queryFn: ({ signal }) => call('showChatUser', { bot_id: botId, chat_id: chatId, user_id: userId }, signal),
  });
}

/** Something was done to people of the chat, or noted about them. */
export function askPeopleAgain(
  queries: QueryClient,
  { botId, chatId }: Pick<PersonOfChat, 'botId' | 'chatId'>,
): Promise<unknown> {
  const keys = ['person', 'chat-audit'].map((name) => [name, botId, chatId]);
  return Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}

export function useAdmins({ botId, chatId }: Pick<PersonOfChat, 'botId' | 'chatId'>) {
  return useQuery({
    queryKey: ['chat-admins', botId, chatId],
    queryFn: ({ signal }) => call('listChatAdmins', { bot_id: botId, chat_id: chatId }, signal),
    enabled: isGroup({ chatId }),
    retry: false,
    staleTime: ASKS_THE_PLATFORM_EVERY_MS,
  });
}
