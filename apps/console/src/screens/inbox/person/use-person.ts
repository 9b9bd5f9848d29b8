import { useQuery } from '@tanstack/react-query';
import { call, callPage } from '../../../call.ts';

/** One person, or channel, in one chat of a bot. */
export type PersonOfChat = { botId: number; chatId: number; userId: number };

/** A chat with one person has no members and no administrators. */
export function isGroup({ chatId }: Pick<PersonOfChat, 'chatId'>): boolean {
  return chatId < 0;
}

const ASKS_THE_PLATFORM_EVERY_MS = 60_000;

/** The newest message of the person in the chat, which has the names, and how many there are. */
export function useWritten({ botId, chatId, userId }: PersonOfChat) {
  return useQuery({
    queryKey: ['person', botId, chatId, userId, 'newest'],
    queryFn: ({ signal }) => callPage('listMessages', { ...inChat(botId, chatId), user_id: userId, limit: 1 }, signal),
  });
}

/** The oldest of these messages. */
export function useFirstSeen({ botId, chatId, userId }: PersonOfChat, total: number) {
  const oldest = { ...inChat(botId, chatId), user_id: userId, limit: 1, offset: total - 1 };
  return useQuery({
    queryKey: ['person', botId, chatId, userId, 'oldest', total],
    queryFn: ({ signal }) => call('listMessages', oldest, signal),
    enabled: total > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useTags({ botId, chatId, userId }: PersonOfChat) {
  return useQuery({
    queryKey: ['tags', botId, chatId, userId],
    queryFn: ({ signal }) => call('listTagsOfUser', { ...inChat(botId, chatId), user_id: userId }, signal),
  });
}

/** The tags of everybody in the chat: what to suggest. */
export function useTagsOfChat({ botId, chatId }: Pick<PersonOfChat, 'botId' | 'chatId'>) {
  return useQuery({
    queryKey: ['tags', botId, chatId],
    queryFn: ({ signal }) => call('listTags', inChat(botId, chatId), signal),
  });
}

export function useAdmins({ botId, chatId }: Pick<PersonOfChat, 'botId' | 'chatId'>) {
  return useQuery({
    queryKey: ['chat-admins', botId, chatId],
    queryFn: ({ signal }) => call('listChatAdmins', inChat(botId, chatId), signal),
    enabled: isGroup({ chatId }),
    retry: false,
    staleTime: ASKS_THE_PLATFORM_EVERY_MS,
  });
}

/** The private chats that the person has with bots that the account sees. */
export function usePrivateChats(userId: number, name: string | undefined) {
  return useQuery({
    queryKey: ['private-chats', userId, name],
    queryFn: async ({ signal }) => {
      const chats = await call('listChats', { type: 'private', q: name!, limit: 200 }, signal);
      return chats.filter(({ id }) => id === userId);
    },
    enabled: name !== undefined && userId > 0,
  });
}

/** What was done to the person in the chat, among its newest entries. */
export function useDoneTo({ botId, chatId, userId }: PersonOfChat) {
  return useQuery({
    queryKey: ['chat-audit', botId, chatId, userId],
    queryFn: async ({ signal }) => {
      const entries = await call('listAuditEntries', { ...inChat(botId, chatId), limit: 200 }, signal);
      return entries.filter(({ target_id: target }) => target === userId);
    },
  });
}

function inChat(botId: number, chatId: number) {
  return { bot_id: botId, chat_id: chatId };
}
