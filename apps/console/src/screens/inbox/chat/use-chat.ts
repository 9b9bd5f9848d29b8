import type { ChatResource, ShownChatResource } from '@flotilla/contract/chats.ts';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { CallError, call } from '../../../call.ts';
import { REFRESH_MS } from '../../../queries.ts';
import { knownChat } from '../chats/use-chats.ts';
import { conversationOf } from '../conversation.ts';
import type { ChatId } from './use-window.ts';

const NOTHING_MORE = { pinned_message_ids: [], topic_count: 0, scheduled_count: 0, desk_log: [] };

/**
 * A chat from the api, or from the platform where the api does not know it; until then as the list
 * has it. `isMoving`: the group has just become a supergroup, and the chat known here is still the group.
 */
export function useChat({ bot_id, chat_id, connection }: ChatId, isMoving = false): ShownChatResource | undefined {
  return useShownChat({ bot_id, chat_id, connection }, isMoving).data;
}

/** The same as a query. A bot 0 is none. */
export function useShownChat({ bot_id, chat_id, connection }: ChatId, isMoving = false) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: ['chat', bot_id, chat_id, connection ?? '', isMoving],
    queryFn: ({ signal }) => readChat(queries, { bot_id, chat_id, connection }, isMoving, signal),
    placeholderData: () => {
      const listed = knownChat(queries, { bot_id, chat_id, connection });
      return listed && { ...listed, ...NOTHING_MORE };
    },
    enabled: bot_id !== 0,
    refetchInterval: REFRESH_MS,
    retry: false,
  });
}

/** The name under which the bot writes. The api knows bots also while it can read no chats. */
export function useBotName(chat: ChatId): string {
  const shown = useShownChat(chat);
  const bot = useQuery({
    queryKey: ['bot', String(chat.bot_id)],
    queryFn: ({ signal }) => call('showBot', { id: chat.bot_id }, signal),
    enabled: shown.isError,
  });
  const username = shown.data?.bot_username ?? bot.data?.username;
  return username === undefined ? '' : `@${username}`;
}

async function readChat(
  queries: QueryClient,
  chat: ChatId,
  isMoving: boolean,
  signal: AbortSignal,
): Promise<ShownChatResource> {
  const place = { bot_id: chat.bot_id, chat_id: chat.chat_id };
  const shown = (await showKnown(conversationOf(chat), signal)) ?? (await showOther(chat, signal));
  if (shown && (!isMoving || shown.migrated_to_chat_id !== undefined)) return shown;
  const known = shown ?? knownChat(queries, chat);
  const fresh = await call('refreshChat', place, signal).catch((error) => movedChat(place, known, error));
  return { ...NOTHING_MORE, ...shown, ...fresh };
}

async function showKnown(
  input: ReturnType<typeof conversationOf>,
  signal: AbortSignal,
): Promise<ShownChatResource | undefined> {
  // It also tells colleagues that the chat is open here; it is asked again every 10 s.
  return call('showChat', { ...input, ...(document.hidden ? {} : { viewing: true }) }, signal).catch(
    (error: unknown) => {
      if (error instanceof CallError && error.status === 404) return undefined;
      throw error;
    },
  );
}

/** An address without a connection may be of a person who writes through one only, or through several: then the api refuses. */
async function showOther(
  { bot_id, chat_id, connection }: ChatId,
  signal: AbortSignal,
): Promise<ShownChatResource | undefined> {
  if (chat_id < 0 || connection !== undefined) return undefined;
  return showKnown({ bot_id, chat_id }, signal);
}

/** The platform says no more of a group that became a supergroup. */
function movedChat(
  { bot_id, chat_id: id }: { bot_id: number; chat_id: number },
  known: ChatResource | undefined,
  error: unknown,
): ChatResource {
  if (!(error instanceof CallError) || error.movedTo === undefined) throw error;
  const unknown = {
    id,
    bot_id,
    type: 'group',
    message_count: 0,
    blocked: false,
    state: 'open',
    awaits_answer: false,
  } as const;
  return { ...(known ?? unknown), migrated_to_chat_id: error.movedTo };
}
